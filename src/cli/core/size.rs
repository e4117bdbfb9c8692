//! Amounts of memory as people type them: `500M`, `4G`.

/// Reads an amount of memory: digits, then nothing (bytes) or one of `K`, `M`,
/// `G`, `T` for the powers of 1024, with or without `iB` behind it. Case does
/// not matter.
///
/// # Errors
/// If the text is none of that, or names 2^64 bytes or more.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let unit = unit.to_ascii_lowercase();
    let shift = match unit.strip_suffix("ib").unwrap_or(&unit) {
        // `ib` alone is no unit
        "" if unit.is_empty() => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err("an amount of memory looks like 500M or 4G".into()),
    };
    if number.is_empty() {
        return Err("an amount of memory looks like 500M or 4G".into());
    }
    number
        .parse::<u64>()
        .ok()
        .and_then(|n| n.checked_mul(1 << shift))
        .ok_or_else(|| "more memory than 64 bits can count".into())
}

/// Reads an amount of memory that something may have: as [`parse_size`], but
/// not nothing.
///
/// # Errors
/// As for [`parse_size`], and if it is 0.
pub fn parse_limit(text: &str) -> Result<u64, String> {
    match parse_size(text)? {
        0 => Err("nothing works without memory; for no limit, leave the option out".into()),
        bytes => Ok(bytes),
    }
}

/// An amount of memory for people: `17 B`, `3.2 MB` (powers of 1000, as the
/// tools that list files print them).
pub fn show_size(bytes: u64) -> String {
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64;
    let mut unit = "B";
    for next in ["kB", "MB", "GB", "TB", "PB", "EB"] {
        if value < 999.95 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    format!("{value:.1} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        assert_eq!(parse_size("0"), Ok(0));
        assert_eq!(parse_size("123"), Ok(123));
        assert_eq!(parse_size("500M"), Ok(500 << 20));
        assert_eq!(parse_size("4g"), Ok(4 << 30));
        assert_eq!(parse_size("4GiB"), Ok(4 << 30));
        assert_eq!(parse_size("1T"), Ok(1 << 40));
        for bad in ["", "G", "4X", "-1", "1.5G", "iB", "4iB", "99999999999T"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
        assert_eq!(parse_limit("1"), Ok(1));
        assert!(parse_limit("0").is_err() && parse_limit("0G").is_err());
    }

    #[test]
    fn sizes_are_shown() {
        assert_eq!(show_size(999), "999 B");
        assert_eq!(show_size(1000), "1.0 kB");
        assert_eq!(show_size(999_960), "1.0 MB");
        assert_eq!(show_size(3_210_000), "3.2 MB");
    }
}
