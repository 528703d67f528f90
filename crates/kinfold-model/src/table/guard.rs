//! Damaged files. The crates that decode Parquet and Arrow trust what a file says about itself: lengths are
//! allocated before they are read, places are looked up unseen. What the format tells is checked here first;
//! what is left becomes an error instead of a panic.

use arrow_ipc::reader::read_footer_length;
use arrow_ipc::{Block, RecordBatch};
use std::cell::Cell;
use std::io::{Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread decodes a file of which a panic becomes an error. Who owns the process may ask it in a
/// panic hook and keep still; this library sets no hook, because a hook is everybody's.
pub fn guarded() -> bool {
    GUARDED.get()
}

/// Runs a decoder; a panic in it is a damaged file. The decoder is dropped then, half-done or not: nobody
/// sees it again, so its state cannot mislead. The flag is the thread's own, and is put back as it was.
pub(super) fn guard<T>(decode: impl FnOnce() -> T) -> Result<T, String> {
    let before = GUARDED.replace(true);
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    GUARDED.set(before);
    // Its words are not repeated: they may hold cells.
    decoded.map_err(|_| "it is damaged: its metadata are inconsistent".to_owned())
}

type Checked<T> = Result<T, String>;

fn broken<T>(what: &str) -> Checked<T> {
    Err(format!("it is damaged: {what}"))
}

fn inside(start: i64, length: i64, whole: u64) -> bool {
    match (u64::try_from(start), u64::try_from(length)) {
        (Ok(start), Ok(length)) => start.checked_add(length).is_some_and(|end| end <= whole),
        _ => false,
    }
}

/// Checks the lengths of an Arrow file: that all lies within it, and that no buffer unpacks to more than
/// `limit`.
pub(super) fn check_file<R: Read + Seek>(reader: &mut R, limit: usize) -> Checked<()> {
    let size = size_of_input(reader)?;
    if size < 10 {
        return broken("it is cut off");
    }
    let mut trailer = [0; 10];
    read_at(reader, size - 10, &mut trailer)?;
    let length = read_footer_length(trailer).map_err(|e| e.to_string())?;
    let Some(start) = (size - 10).checked_sub(length as u64) else {
        return broken("its footer is longer than the file");
    };
    let mut footer = vec![0; length];
    read_at(reader, start, &mut footer)?;
    let footer = arrow_ipc::root_as_footer(&footer).map_err(|_| "it is damaged: its footer".to_owned())?;
    let blocks =
        footer.dictionaries().into_iter().flatten().chain(footer.recordBatches().into_iter().flatten());
    for block in blocks {
        check_block(reader, block, size, limit)?;
    }
    Ok(())
}

fn check_block<R: Read + Seek>(reader: &mut R, block: &Block, size: u64, limit: usize) -> Checked<()> {
    let head = i64::from(block.metaDataLength());
    let both = head.checked_add(block.bodyLength()).unwrap_or(-1);
    if head < 8 || block.bodyLength() < 0 || !inside(block.offset(), both, size) {
        return broken("a batch lies outside the file");
    }
    let mut message = vec![0; head as usize];
    read_at(reader, block.offset() as u64, &mut message)?;
    let skipped = if message.starts_with(&[0xff; 4]) { 8 } else { 4 };
    let body = (block.offset() + head) as u64;
    check_message(reader, &message[skipped..], body, block.bodyLength() as u64, limit)
}

/// Checks the lengths of an Arrow stream, message by message.
pub(super) fn check_stream<R: Read + Seek>(reader: &mut R, limit: usize) -> Checked<()> {
    let size = size_of_input(reader)?;
    let mut at = 0;
    while at + 4 <= size {
        let mut word = [0; 4];
        read_at(reader, at, &mut word)?;
        at += 4;
        if word == [0xff; 4] {
            if at + 4 > size {
                return broken("it is cut off");
            }
            read_at(reader, at, &mut word)?;
            at += 4;
        }
        let head = i64::from(i32::from_le_bytes(word));
        if head == 0 {
            break;
        }
        if !inside(at as i64, head, size) {
            return broken("a message lies outside the file");
        }
        let mut message = vec![0; head as usize];
        read_at(reader, at, &mut message)?;
        at += head as u64;
        let body = arrow_ipc::root_as_message(&message).map_err(|_| "it is damaged: a message".to_owned())?;
        let length = body.bodyLength();
        if !inside(at as i64, length, size) {
            return broken("a batch lies outside the file");
        }
        check_message(reader, &message, at, length as u64, limit)?;
        at += length as u64;
    }
    Ok(())
}

fn check_message<R: Read + Seek>(
    reader: &mut R,
    message: &[u8],
    body: u64,
    length: u64,
    limit: usize,
) -> Checked<()> {
    let message = arrow_ipc::root_as_message(message).map_err(|_| "it is damaged: a message".to_owned())?;
    let batch = match message.header_as_dictionary_batch() {
        Some(dictionary) => dictionary.data(),
        None => message.header_as_record_batch(),
    };
    batch.map_or(Ok(()), |batch| check_batch(reader, &batch, body, length, limit))
}

fn check_batch<R: Read + Seek>(
    reader: &mut R,
    batch: &RecordBatch<'_>,
    body: u64,
    length: u64,
    limit: usize,
) -> Checked<()> {
    let rows = |length: i64| (0..i64::from(u32::MAX)).contains(&length);
    let nodes = batch.nodes().into_iter().flatten();
    if !rows(batch.length()) || nodes.into_iter().any(|n| !rows(n.length()) || !rows(n.null_count())) {
        return broken("the number of rows of a batch");
    }
    for buffer in batch.buffers().into_iter().flatten() {
        if !inside(buffer.offset(), buffer.length(), length) {
            return broken("a column lies outside its batch");
        }
        if batch.compression().is_none() || buffer.length() == 0 {
            continue;
        }
        let mut unpacked = [0; 8];
        if buffer.length() < 8 {
            return broken("a compressed column is cut off");
        }
        read_at(reader, body + buffer.offset() as u64, &mut unpacked)?;
        if i64::from_le_bytes(unpacked) > i64::try_from(limit).unwrap_or(i64::MAX) {
            return broken("a column would unpack to more than the table may have");
        }
    }
    Ok(())
}

fn size_of_input<R: Seek>(reader: &mut R) -> Checked<u64> {
    reader.seek(SeekFrom::End(0)).map_err(|e| e.to_string())
}

fn read_at<R: Read + Seek>(reader: &mut R, at: u64, bytes: &mut [u8]) -> Checked<()> {
    reader.seek(SeekFrom::Start(at)).and_then(|_| reader.read_exact(bytes)).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_is_put_back_after_a_panic() {
        assert!(!guarded());
        assert_eq!(guard(|| (guard(guarded), guarded())), Ok((Ok(true), true)));
        assert!(guard(|| std::panic::resume_unwind(Box::new(()))).is_err());
        assert!(!guarded());
    }
}
