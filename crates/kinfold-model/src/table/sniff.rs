//! Which delimiter a text table uses, guessed from its first lines.

const CANDIDATES: [u8; 4] = *b",;\t|";
const LINES: usize = 50;

/// The delimiter that cuts the most lines into the same number (> 1) of fields as the header;
/// more fields win a draw. A single column has none: then a comma.
pub(crate) fn delimiter(head: &[u8]) -> u8 {
    let counts: Vec<[usize; CANDIDATES.len()]> = count_per_line(head);
    let Some(header) = counts.first() else { return b',' };
    let mut best = (0, 0, b',');
    for (i, &candidate) in CANDIDATES.iter().enumerate() {
        if header[i] == 0 {
            continue;
        }
        let agreeing = counts.iter().filter(|c| c[i] == header[i]).count();
        if (agreeing, header[i]) > (best.0, best.1) {
            best = (agreeing, header[i], candidate);
        }
    }
    best.2
}

/// How often each candidate stands outside quotes, per line.
fn count_per_line(head: &[u8]) -> Vec<[usize; CANDIDATES.len()]> {
    let mut lines = Vec::new();
    let mut current = [0; CANDIDATES.len()];
    let (mut quoted, mut blank) = (false, true);
    for &byte in head {
        match byte {
            b'"' => {
                quoted = !quoted;
                blank = false;
            }
            b'\n' if !quoted => {
                if !blank {
                    lines.push(current);
                }
                if lines.len() == LINES {
                    return lines;
                }
                current = [0; CANDIDATES.len()];
                blank = true;
            }
            b'\r' => {}
            _ => {
                blank = false;
                if !quoted && let Some(i) = CANDIDATES.iter().position(|&c| c == byte) {
                    current[i] += 1;
                }
            }
        }
    }
    // The last line may be cut off by the end of the sample: it counts only when it is all there is.
    if lines.is_empty() && !blank {
        lines.push(current);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::delimiter;

    #[test]
    fn finds_each_delimiter() {
        for d in [b',', b';', b'\t', b'|'] {
            let text: Vec<u8> =
                b"a~b~c\n1~2,5~3\n4~5~6;7\n8~9~0\n".iter().map(|&b| if b == b'~' { d } else { b }).collect();
            assert_eq!(delimiter(&text), d, "{}", d as char);
        }
    }

    #[test]
    fn quotes_hide_delimiters() {
        assert_eq!(delimiter(b"\"a;b;c;d\",x\n\"1;2;3;4\",5\n"), b',');
    }

    #[test]
    fn decimal_commas_do_not_win_over_semicolons() {
        assert_eq!(delimiter(b"x;y\n1,5;2,5\n3,5;4,5\n"), b';');
    }

    #[test]
    fn one_column_or_nothing_is_a_comma() {
        assert_eq!(delimiter(b"age\n1\n2\n"), b',');
        assert_eq!(delimiter(b""), b',');
    }
}
