//! Text in other encodings becomes UTF-8. Bytes that the encoding does not know are an error: one sign in the
//! place of them all would make different texts the same.

use super::error::TableError;
use super::source::read_error;
use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8};
use std::io::{Cursor, Error, Read, Result};
use std::path::Path;

/// Byte order marks are as long as this, or shorter.
const MARK: u64 = 3;
/// Bytes that are read at a time.
const CHUNK: usize = 1 << 16;

/// UTF-8 comes through as it is, without its mark: its errors are told with their place. Without a name, a byte
/// order mark tells the encoding.
pub(super) fn decode(
    mut reader: Box<dyn Read + Send>,
    path: &Path,
    name: Option<&str>,
) -> std::result::Result<Box<dyn Read + Send>, TableError> {
    let named = match name {
        Some(name) => Encoding::for_label(name.as_bytes())
            .ok_or_else(|| TableError::UnknownEncoding(name.to_owned()))?,
        None => UTF_8,
    };
    let mut start = Vec::new();
    reader.by_ref().take(MARK).read_to_end(&mut start).map_err(|e| read_error(path, e))?;
    let (encoding, mark) = match Encoding::for_bom(&start) {
        Some((marked, length)) if named == UTF_8 || named == marked => (marked, length),
        _ => (named, 0),
    };
    let bytes = Cursor::new(start.split_off(mark)).chain(reader);
    if encoding == UTF_8 {
        return Ok(Box::new(bytes));
    }
    let decoder = encoding.new_decoder_without_bom_handling();
    let (waiting, text) = (Vec::new(), Cursor::new(Vec::new()));
    Ok(Box::new(Decoded { bytes, encoding, decoder, waiting, text, ended: false, done: false, line: 1 }))
}

struct Decoded<R> {
    bytes: R,
    encoding: &'static Encoding,
    decoder: Decoder,
    /// Bytes that were read and not decoded yet.
    waiting: Vec<u8>,
    /// What was decoded and not read yet.
    text: Cursor<Vec<u8>>,
    /// All bytes were read, and all were decoded.
    ended: bool,
    done: bool,
    line: u64,
}

impl<R: Read> Decoded<R> {
    fn decode_more(&mut self) -> Result<()> {
        if self.waiting.is_empty() && !self.ended {
            self.ended = self.bytes.by_ref().take(CHUNK as u64).read_to_end(&mut self.waiting)? == 0;
        }
        let text = self.text.get_mut();
        text.resize(4 * CHUNK, 0);
        let (result, taken, written) =
            self.decoder.decode_to_utf8_without_replacement(&self.waiting, text, self.ended);
        text.truncate(written);
        self.line += memchr::memchr_iter(b'\n', text).count() as u64;
        self.text.set_position(0);
        self.waiting.drain(..taken);
        match result {
            DecoderResult::Malformed(..) => {
                Err(Error::other(TableError::Malformed { line: self.line, encoding: self.encoding.name() }))
            }
            DecoderResult::InputEmpty => {
                self.done = self.ended;
                Ok(())
            }
            DecoderResult::OutputFull => Ok(()),
        }
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        loop {
            let read = self.text.read(buffer)?;
            if read > 0 || self.done || buffer.is_empty() {
                return Ok(read);
            }
            self.decode_more()?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], name: Option<&str>) -> std::result::Result<String, TableError> {
        let path = Path::new("(test)");
        let mut reader = decode(Box::new(Cursor::new(bytes.to_vec())), path, name)?;
        let mut text = String::new();
        reader.read_to_string(&mut text).map_err(|e| read_error(path, e))?;
        Ok(text)
    }

    #[test]
    fn what_an_encoding_does_not_know_is_refused() {
        let wrong = |bytes: &[u8], name| match decoded(bytes, name) {
            Err(TableError::Malformed { line, encoding }) => (line, encoding),
            other => panic!("{other:?}"),
        };
        assert_eq!(wrong(b"a\n1\n\x81\xff\n", Some("shift_jis")), (3, "Shift_JIS"));
        assert_eq!(wrong(b"\xff\xfea\0\n\0\0\xd8", None), (2, "UTF-16LE"), "half a pair");
        assert_eq!(wrong(b"\xff\xfea\0\n\0x", None), (2, "UTF-16LE"), "half a letter");
        assert_eq!(wrong(b"a\n\x81", Some("euc-jp")), (2, "EUC-JP"), "cut off");
    }

    #[test]
    fn long_texts_come_through() {
        let text: String = (0..100_000).map(|i| if i % 7 == 0 { '語' } else { 'x' }).collect();
        let (bytes, _, _) = encoding_rs::SHIFT_JIS.encode(&text);
        assert_eq!(decoded(&bytes, Some("shift_jis")).unwrap(), text);
        let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decoded(&utf16, Some("utf-16be")).unwrap(), text);
        assert_eq!(
            decoded(&[b"\xfe\xff", &*utf16].concat(), Some("utf-16be")).unwrap(),
            text,
            "its own mark"
        );
        assert_eq!(decoded(&[b"\xfe\xff", &*utf16].concat(), None).unwrap(), text, "by its mark");
        let utf8 = [b"\xef\xbb\xbf", text.as_bytes()].concat();
        assert_eq!(decoded(&utf8, None).unwrap(), text);
        assert_eq!(decoded(b"", None).unwrap(), "");
        assert_eq!(decoded("\u{fffd}".as_bytes(), None).unwrap(), "\u{fffd}", "a sign like any other");
    }
}
