//! The witness of a release that is made in pieces: which row of its piece every row of the release stands for. It
//! waits in a temporary file until the verifier reads back what was written.

use crate::Error;
use crate::anonymized::Contents;
use crate::faults::Handle;
use kinfold_model::kind::Kind;
use kinfold_model::policy::Policy;
use kinfold_model::table::Table;
use kinfold_model::verify::{Published, Untrue, VerifyError, Witnessed};
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

/// A temporary file that cannot be written or read.
pub(super) fn spooled(error: io::Error) -> Error {
    Error::write(Path::new("a temporary file"), error)
}

/// What the pieces say so far.
pub(super) struct Pairing {
    file: BufWriter<Handle>,
    /// Rows of every piece that are released, and withheld.
    pieces: Vec<(usize, usize)>,
    kinds: Vec<(String, Kind)>,
}

impl Pairing {
    pub fn new(file: Handle) -> Self {
        Self { file: BufWriter::new(file), pieces: Vec::new(), kinds: Vec::new() }
    }

    /// Takes down what the next piece says. All have one frame, and so the same kinds.
    pub fn add(&mut self, piece: &Contents) -> io::Result<()> {
        self.kinds.clone_from(&piece.kinds);
        self.pieces.push((piece.release.rows(), piece.withheld));
        piece.witness().iter().try_for_each(|row| self.file.write_all(&row.to_le_bytes()))
    }

    /// Checks it against what was written. `table_of` has the rows of a piece, as they were when it was made.
    pub fn check<'p>(
        self,
        policy: &'p Policy,
        table_of: impl FnMut(u32) -> io::Result<Table> + 'p,
    ) -> io::Result<Truth<'p>> {
        let Self { file, pieces, kinds } = self;
        let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        let (file, table_of) = (BufReader::new(file), Box::new(table_of));
        let pieces = (0..).zip(pieces).collect::<Vec<_>>().into_iter();
        Ok(Truth { policy, file, pieces, kinds, table_of, piece: None })
    }
}

/// A release that is read back, piece after piece.
pub(super) struct Truth<'p> {
    policy: &'p Policy,
    file: BufReader<Handle>,
    pieces: std::vec::IntoIter<(u32, (usize, usize))>,
    kinds: Vec<(String, Kind)>,
    table_of: Box<dyn FnMut(u32) -> io::Result<Table> + 'p>,
    /// The piece that is read, how many of its rows are to come, and how many are withheld.
    piece: Option<(Witnessed<'p>, usize, usize)>,
}

impl Truth<'_> {
    /// Checks the next rows of the release.
    pub fn check(&mut self, chunk: &Published) -> Result<(), Error> {
        let mut at = 0;
        while at < chunk.rows() {
            let Some((piece, left, _)) = self.piece.as_mut().filter(|(_, left, _)| *left > 0) else {
                if !self.next_piece()? {
                    return Err(VerifyError::from(Untrue::Rows).into());
                }
                continue;
            };
            let part = at..chunk.rows().min(at + *left);
            let mut rows = Vec::with_capacity(part.len());
            for _ in part.clone() {
                let mut row = [0; 4];
                self.file.read_exact(&mut row).map_err(spooled)?;
                rows.push(u32::from_le_bytes(row));
            }
            *left -= part.len();
            at = part.end;
            piece.check(chunk, part, &rows)?;
        }
        Ok(())
    }

    /// Ends a piece and begins the next, if there is one.
    fn next_piece(&mut self) -> Result<bool, Error> {
        if let Some((piece, left, withheld)) = self.piece.take() {
            if left > 0 {
                return Err(VerifyError::from(Untrue::Rows).into());
            }
            piece.finish(withheld)?;
        }
        let Some((number, (released, withheld))) = self.pieces.next() else { return Ok(false) };
        let table = (self.table_of)(number).map_err(spooled)?;
        self.piece = Some((Witnessed::new(&table, self.policy, &self.kinds, None), released, withheld));
        Ok(true)
    }

    /// Ends the release.
    pub fn finish(mut self) -> Result<(), Error> {
        while self.next_piece()? {}
        Ok(())
    }
}
