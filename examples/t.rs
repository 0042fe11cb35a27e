use std::time::Instant;
use vmconf::{
    formats::{self, *},
    json::*,
};
fn main() {
    let dir = std::env::args().nth(1).unwrap();
    let fs: Vec<String> = walkdir::WalkDir::new(&dir)
        .into_iter()
        .map(|e| e.unwrap())
        .filter(|e| e.path().extension().is_some_and(|x| x == "json"))
        .map(|e| std::fs::read_to_string(e.path()).unwrap())
        .collect();
    let mut b = [f64::MAX; 5];
    for _ in 0..std::env::args().nth(2).map_or(60, |x| x.parse().unwrap()) {
        let mut acc = [0.0; 5];
        for f in &fs {
            let t = f.clone();
            let s = Instant::now();
            let d = Document::parse(t, 128).unwrap();
            acc[0] += s.elapsed().as_secs_f64();
            let s = Instant::now();
            let (fm, _) = formats::recognise(&d).unwrap();
            acc[1] += s.elapsed().as_secs_f64();
            let s = Instant::now();
            let en = (fm.outline)(d.root()).unwrap();
            std::hint::black_box(fm.read_rest(&d, &en, Options::default()));
            acc[2] += s.elapsed().as_secs_f64();
            let s = Instant::now();
            let r: Vec<_> =
                en.iter().map(|e| fm.read_case(Node::at_index(&d, e.node), Options::default())).collect();
            acc[3] += s.elapsed().as_secs_f64();
            let s = Instant::now();
            drop(r);
            acc[4] += s.elapsed().as_secs_f64();
        }
        for i in 0..5 {
            b[i] = b[i].min(acc[i]);
        }
    }
    println!(
        "{} files parse {:.3} recognise {:.3} outline+rest {:.3} read {:.3} drop {:.3} ms",
        fs.len(),
        b[0] * 1e3,
        b[1] * 1e3,
        b[2] * 1e3,
        b[3] * 1e3,
        b[4] * 1e3
    );
}
