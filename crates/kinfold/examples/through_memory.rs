//! What it costs to go through memory instead of files: the same Parquet table anonymized from and to files,
//! and from and to Arrow batches. `cargo run --release --locked --example through_memory -- TABLE.parquet POLICY.toml`

use kinfold::model::policy::Policy;
use kinfold::model::table::{ReadOptions, Source, Table};
use kinfold::{Effort, Options, Stopwatch, anonymize};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let [table, policy] = [1, 2].map(|n| std::env::args().nth(n).ok_or("TABLE.parquet POLICY.toml"));
    let (table, policy) = (table?, policy?);
    let mut options = Options::default();
    options.effort = Effort::Quick;
    let reading = ReadOptions::default();

    let reader = ParquetRecordBatchReaderBuilder::try_new(std::fs::File::open(&table)?)?.build()?;
    let batches = reader.collect::<Result<Vec<_>, _>>()?;
    let schema = batches.first().ok_or("the table is empty")?.schema();
    let stopwatch = Stopwatch::start();
    let read = Table::from_batches(&schema, &batches, |_| true, &reading)?;
    let read_seconds = stopwatch.spent();
    let done = anonymize(&read, &Policy::open(&policy)?.for_table(&read)?, &options)?.into_batches()?;
    let rows: usize = done.batches().ok_or("no batches")?.1.iter().map(|batch| batch.num_rows()).sum();
    let spent = stopwatch.spent();
    println!("memory: {rows} rows, read {read_seconds:?}, all {spent:?}, {:?}", done.report.seconds);

    let stopwatch = Stopwatch::start();
    let read = Source::open(Path::new(&table), &reading)?.read(|_| true)?;
    let read_seconds = stopwatch.spent();
    let grouped = anonymize(&read, &Policy::open(&policy)?.for_table(&read)?, &options)?;
    let done = grouped.save(std::env::temp_dir().join("through_memory.parquet"))?;
    let spent = stopwatch.spent();
    println!("files:  {rows} rows, read {read_seconds:?}, all {spent:?}, {:?}", done.report.seconds);
    Ok(())
}
