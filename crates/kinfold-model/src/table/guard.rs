//! Damaged files. The crates that decode Parquet and Arrow trust what a file says about itself: lengths are
//! allocated before they are read, places are looked up unseen. What the format tells is checked here first;
//! what is left becomes an error instead of a panic.

use arrow_ipc::reader::read_footer_length;
use arrow_ipc::{Block, RecordBatch};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Keeps a panic while a damaged file is decoded from printing: it becomes an error message, and its own words would
/// only stand before it. That is a panic hook, which is everybody's: only who owns the process calls this.
pub fn keep_still_about_damaged_files() {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !GUARDED.get() {
            tell(panic);
        }
    }));
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

/// What is wrong with a file before it is decoded.
#[derive(Debug)]
pub(super) enum Trouble {
    /// It is damaged, and how.
    Damaged(String),
    /// It may be whole, but takes more memory than there may be.
    TooLarge,
}

impl From<String> for Trouble {
    fn from(what: String) -> Self {
        Self::Damaged(what)
    }
}

pub(super) type Checked<T> = Result<T, Trouble>;

pub(super) fn broken<T>(what: &str) -> Checked<T> {
    Err(Trouble::Damaged(format!("it is damaged: {what}")))
}

pub(super) fn inside(start: i64, length: i64, whole: u64) -> bool {
    match (u64::try_from(start), u64::try_from(length)) {
        (Ok(start), Ok(length)) => start.checked_add(length).is_some_and(|end| end <= whole),
        _ => false,
    }
}

/// What the batches of an Arrow file take in memory: its dictionaries, and one batch.
#[derive(Default)]
struct Held {
    dictionaries: BTreeMap<i64, usize>,
    batch: usize,
}

impl Held {
    fn total(&self) -> usize {
        self.dictionaries.values().fold(self.batch, |sum, &bytes| sum.saturating_add(bytes))
    }
}

/// Checks the lengths of an Arrow file: that all lies within it, and that nothing takes more memory than
/// `limit`. Returns what its decoder will hold.
pub(super) fn check_file<R: Read + Seek>(reader: &mut R, limit: usize) -> Checked<usize> {
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
    let mut held = Held::default();
    read_at(reader, start, &mut footer)?;
    let footer = arrow_ipc::root_as_footer(&footer).map_err(|_| "it is damaged: its footer".to_owned())?;
    let blocks =
        footer.dictionaries().into_iter().flatten().chain(footer.recordBatches().into_iter().flatten());
    for block in blocks {
        check_block(reader, block, size, limit, &mut held)?;
    }
    Ok(held.total())
}

fn check_block<R: Read + Seek>(
    reader: &mut R,
    block: &Block,
    size: u64,
    limit: usize,
    held: &mut Held,
) -> Checked<()> {
    let head = i64::from(block.metaDataLength());
    let both = head.checked_add(block.bodyLength()).unwrap_or(-1);
    if head < 8 || block.bodyLength() < 0 || !inside(block.offset(), both, size) {
        return broken("a batch lies outside the file");
    }
    let mut message = vec![0; head as usize];
    read_at(reader, block.offset() as u64, &mut message)?;
    let skipped = if message.starts_with(&[0xff; 4]) { 8 } else { 4 };
    let body = (block.offset() + head) as u64;
    check_message(reader, &message[skipped..], body, block.bodyLength() as u64, limit, held)
}

/// The same for an Arrow stream, message by message.
pub(super) fn check_stream<R: Read + Seek>(reader: &mut R, limit: usize) -> Checked<usize> {
    let size = size_of_input(reader)?;
    let mut held = Held::default();
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
        check_message(reader, &message, at, length as u64, limit, &mut held)?;
        at += length as u64;
    }
    Ok(held.total())
}

fn check_message<R: Read + Seek>(
    reader: &mut R,
    message: &[u8],
    body: u64,
    length: u64,
    limit: usize,
    held: &mut Held,
) -> Checked<()> {
    let message = arrow_ipc::root_as_message(message).map_err(|_| "it is damaged: a message".to_owned())?;
    if let Some(dictionary) = message.header_as_dictionary_batch() {
        let bytes = dictionary.data().map_or(Ok(0), |batch| check_batch(reader, &batch, body, length))?;
        let known = held.dictionaries.entry(dictionary.id()).or_default();
        *known = if dictionary.isDelta() { known.saturating_add(bytes) } else { bytes };
    } else if let Some(batch) = message.header_as_record_batch() {
        held.batch = held.batch.max(check_batch(reader, &batch, body, length)?);
    }
    if held.total() > limit { Err(Trouble::TooLarge) } else { Ok(()) }
}

/// The bytes that a batch takes, unpacked ones too.
fn check_batch<R: Read + Seek>(
    reader: &mut R,
    batch: &RecordBatch<'_>,
    body: u64,
    length: u64,
) -> Checked<usize> {
    let rows = |length: i64| (0..i64::from(u32::MAX)).contains(&length);
    let nodes = batch.nodes().into_iter().flatten();
    if !rows(batch.length()) || nodes.into_iter().any(|n| !rows(n.length()) || !rows(n.null_count())) {
        return broken("the number of rows of a batch");
    }
    let mut bytes = length as usize;
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
        // Minus one: it is not compressed after all.
        bytes = bytes.saturating_add(usize::try_from(i64::from_le_bytes(unpacked)).unwrap_or(0));
    }
    Ok(bytes)
}

pub(super) fn size_of_input<R: Seek>(reader: &mut R) -> Checked<u64> {
    Ok(reader.seek(SeekFrom::End(0)).map_err(|e| e.to_string())?)
}

pub(super) fn read_at<R: Read + Seek>(reader: &mut R, at: u64, bytes: &mut [u8]) -> Checked<()> {
    let read = reader.seek(SeekFrom::Start(at)).and_then(|_| reader.read_exact(bytes));
    Ok(read.map_err(|e| e.to_string())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_is_put_back_after_a_panic() {
        assert!(!GUARDED.get());
        assert_eq!(guard(|| (guard(|| GUARDED.get()), GUARDED.get())), Ok((Ok(true), true)));
        assert!(guard(|| std::panic::resume_unwind(Box::new(()))).is_err());
        assert!(!GUARDED.get());
    }
}
