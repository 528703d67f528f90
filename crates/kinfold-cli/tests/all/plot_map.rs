//! Maps of releases: what they show is what is published, and no more.

use crate::support::{Folder, well_formed};
use serde_json::Value;

/// A grid of points with twins in its corners.
fn points() -> String {
    let grid = (0..6).flat_map(|y| (0..6).map(move |x| format!("{}.5,{}.25,u{x}{y}\n", 40 + y, 8 + x)));
    format!("lat,lon,note\n{}40.5,8.25,twin\n45.5,13.25,twin\n", grid.collect::<String>())
}

const POINTS: [&str; 6] = ["-k", "4", "--quasi", "lat/lon:point", "--drop", "note"];

const EDGES: &str =
    "a,b\nAach,Bach\nBach,Calw\nCalw,Dorn\nDorn,Egg\nEgg,Furt\nAach,Dorn\nBach,Egg\nCalw,Furt\n";
const PEOPLE: &str = "place,people\nAach,9\nBach,2\nCalw,3\nDorn,4\nEgg,1\nFurt,8\nInsel,7\n";

#[test]
fn a_map_of_points_has_every_rectangle_in_every_form() {
    let folder = Folder::with(points());
    for (form, objective) in
        [("ranges", "group-size"), ("bounds", "group-size"), ("wkt", "group-size"), ("wkt", "ncp")]
    {
        let flags = [&POINTS[..], &["--form", form, "--objective", objective]].concat();
        folder
            .kinfold(&[&["anonymize", "table.csv", "-o", "release.csv", "--json"], &flags[..]].concat())
            .ends_with_code(0);
        let told = folder
            .kinfold(&[&["plot", "map", "release.csv", "-o", "map.svg", "--json"], &flags[..]].concat());
        let json: Value = serde_json::from_str(&told.ends_with_code(0).out).unwrap();
        assert_eq!((&json["people"], &json["people_nowhere"]), (&38.into(), &0.into()), "{form} {objective}");
        let svg = folder.text("map.svg");
        well_formed(&svg);
        assert_eq!(svg.matches("<rect class=\"box ").count() as u64, json["places"].as_u64().unwrap());
        assert!(!svg.contains("class=\"point\" d"), "nobody asked for the points of the table");
    }
}

#[test]
fn points_of_the_table_are_drawn_only_on_request_and_with_a_warning() {
    let folder = Folder::with(points());
    let flags = [&POINTS[..], &["--objective", "group-size"]].concat();
    folder
        .kinfold(&[&["anonymize", "table.csv", "-o", "release.csv"], &flags[..]].concat())
        .ends_with_code(0);
    let plot = ["plot", "map", "release.csv", "-o", "map.svg", "--original", "table.csv"];
    let told = folder.kinfold(&[&plot[..], &flags[..]].concat());
    assert!(told.ends_with_code(0).err.contains("confidential"));
    let svg = folder.text("map.svg");
    let path = svg.split("<path class=\"point\" d=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(path.matches('M').count(), 38);
}

#[test]
fn a_map_of_areas_joins_the_regions_that_are_published_together() {
    let folder = Folder::with(PEOPLE);
    folder.write("edges.csv", EDGES);
    folder.write(
        "nodes.csv",
        "region,x,y\nAach,1,3\nBach,2,3\nCalw,3,3\nDorn,1,2\nEgg,2,2\nFurt,3,2\nInsel,5,1\n",
    );
    for (map, objective) in [("edges.csv+nodes.csv", "group-size"), ("edges.csv+nodes.csv", "ncp")] {
        let quasi = format!("place:region={map}");
        let flags = ["-k", "7", "--quasi", &quasi, "--count", "people", "--objective", objective];
        let lookup = ["--lookup", "names.csv"];
        folder
            .kinfold(&[&["anonymize", "table.csv", "-o", "release.csv"], &flags[..], &lookup].concat())
            .ends_with_code(0);
        let told = folder.kinfold(
            &[&["plot", "map", "release.csv", "-o", "map.svg", "--json"], &flags[..], &lookup].concat(),
        );
        let json: Value = serde_json::from_str(&told.ends_with_code(0).out).unwrap();
        assert_eq!((&json["people"], &json["people_nowhere"]), (&34.into(), &0.into()), "{objective}");
        let svg = folder.text("map.svg");
        well_formed(&svg);
        assert_eq!(svg.matches("<path class=\"area ").count() as u64, json["places"].as_u64().unwrap());
        assert!(svg.contains(">Insel</text>") && !svg.contains("has no positions"));
    }
    // Without centroids the map is drawn from which regions touch.
    folder.write("edges.csv", format!("{EDGES}Insel,\n"));
    let flags = ["-k", "7", "--quasi", "place:region=edges.csv", "--count", "people"];
    folder
        .kinfold(&[&["plot", "map", "release.csv", "-o", "map.svg"], &flags[..]].concat())
        .ends_with_code(0)
        .says("areas");
    assert!(folder.text("map.svg").contains("has no positions"));
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let folder = Folder::with(PEOPLE);
    folder.write("edges.csv", format!("{EDGES}Insel,\n"));
    folder.write("release.csv", PEOPLE.replace("Egg,1", "Egg,2"));
    let map = |flags: &[&str]| {
        folder.kinfold(&[&["plot", "map", "release.csv", "--count", "people"], flags].concat())
    };
    map(&["-k", "2", "--quasi", "place:category", "-o", "map.svg"])
        .ends_with_code(2)
        .complains("no column of the release is a place")
        .hints("lat/lon:point");
    let places = ["-k", "2", "--quasi", "place:region=edges.csv"];
    map(&[&places[..], &["-o", "map.png"]].concat()).ends_with_code(2).complains("map.png");
    map(&[&places[..], &["-o", "release.csv"]].concat()).ends_with_code(2);
    map(&[&places[..], &["-o", "map.svg", "--original", "table.csv"]].concat())
        .ends_with_code(2)
        .complains("this release has areas");
    folder.holds(&["edges.csv", "release.csv", "table.csv"]);
    // What is not safe is not shown either.
    map(&["-k", "5", "--quasi", "place:region=edges.csv", "-o", "map.svg"])
        .ends_with_code(1)
        .complains("this release is not safe")
        .hints("kinfold verify");
    // Names that nothing explains, and another form.
    folder.write("release.csv", "place,people\nplace set 1,9\nAach,9\n");
    map(&[&places[..], &["-o", "map.svg"]].concat())
        .ends_with_code(2)
        .complains("cells of 9 people cannot be read as places")
        .hints("--lookup");
    map(&[&places[..], &["-o", "map.svg", "--lookup", "edges.csv"]].concat())
        .ends_with_code(2)
        .complains("edges.csv is not a lookup file");
    folder.holds(&["edges.csv", "release.csv", "table.csv"]);
}

#[test]
fn nested_areas_are_explained_by_the_lookup_file() {
    let folder = Folder::with("place,age\nAach,30\nBach,31\nCalw,50\nDorn,52\nEgg,33\nFurt,51\n");
    folder.write("edges.csv", EDGES);
    let flags = ["-k", "6", "--quasi", "place:region=edges.csv,age:numeric"];
    let lookup = ["--lookup", "areas.csv"];
    let run = |start: &[&str], more: &[&str]| folder.kinfold(&[start, &flags[..], more].concat());
    run(&["anonymize", "table.csv", "-o", "release.csv"], &lookup).ends_with_code(0);
    let (release, areas) = (folder.text("release.csv"), folder.text("areas.csv"));
    assert!(release.contains("area ") && areas.contains("regions)\",\"{"), "{release}\n{areas}");
    run(&["verify", "release.csv", "--original", "table.csv"], &lookup).ends_with_code(0).says("true");
    run(&["plot", "map", "release.csv", "-o", "map.svg"], &lookup).ends_with_code(0);
}

/// Class, x, y, width and height of every rectangle.
fn boxes(svg: &str) -> Vec<(String, [f64; 4])> {
    let of = |tag: &str, key: &str| {
        tag.split(&format!(" {key}=\"")).nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    let tags = svg.lines().filter(|line| line.starts_with("<rect class=\"box "));
    tags.map(|tag| (of(tag, "class"), ["x", "y", "width", "height"].map(|key| of(tag, key).parse().unwrap())))
        .collect()
}

#[test]
fn points_and_lines_are_seen() {
    for (table, places) in [
        ("lat,lon\n40,8\n40,8\n41,9\n41,9\n", 2),
        ("lat,lon\n40,8\n40,8\n40,9\n40,9\n", 2),
        ("lat,lon\n40,8\n40,8\n", 1),
        ("lat,lon\n40,8\n40,9\n47,8\n48,8\n", 2),
    ] {
        let folder = Folder::with(table);
        let flags = ["-k", "2", "--quasi", "lat/lon:point", "--objective", "group-size"];
        folder
            .kinfold(&[&["anonymize", "table.csv", "-o", "release.csv"], &flags[..]].concat())
            .ends_with_code(0);
        let plot = ["plot", "map", "release.csv", "-o", "map.svg", "--json"];
        let told = folder.kinfold(&[&plot[..], &flags[..]].concat());
        let json: Value = serde_json::from_str(&told.ends_with_code(0).out).unwrap();
        assert_eq!((&json["places"], &json["people_outside"]), (&places.into(), &0.into()), "{table}");
        let svg = folder.text("map.svg");
        well_formed(&svg);
        let frame = svg.split("viewBox=\"").last().unwrap().split('"').next().unwrap();
        let frame: Vec<f64> = frame.split(' ').map(|part| part.parse().unwrap()).collect();
        for (class, [x, y, wide, high]) in boxes(&svg) {
            assert_eq!(class, "box s6", "what has no area is the densest: {table}");
            assert!(wide >= 5.0 && high >= 5.0, "{table}");
            assert!(x >= frame[0] && x + wide <= frame[0] + frame[2], "{table}");
            assert!(y >= frame[1] && y + high <= frame[1] + frame[3], "{table}");
        }
    }
}

#[test]
fn those_outside_the_picture_are_told() {
    let grid = (0..20).flat_map(|y| (0..20).map(move |x| format!("{y},{x}\n")));
    let folder = Folder::with(format!("y,x\n{}900,900\n901,901\n", grid.collect::<String>()));
    let flags = ["-k", "2", "--quasi", "y/x:point", "--objective", "group-size"];
    folder
        .kinfold(&[&["anonymize", "table.csv", "-o", "release.csv"], &flags[..]].concat())
        .ends_with_code(0);
    let plot = ["plot", "map", "release.csv", "-o", "map.svg"];
    let told = folder.kinfold(&[&plot[..], &["--json"], &flags[..]].concat());
    let json: Value = serde_json::from_str(&told.ends_with_code(0).out).unwrap();
    // The two far away, and some at the crowd's edge.
    let outside = json["people_outside"].as_u64().unwrap();
    assert!((2..=8).contains(&outside), "{outside}");
    let words = format!("{outside} points outside the picture");
    assert!(folder.text("map.svg").contains(&words));
    folder.kinfold(&[&plot[..], &flags[..]].concat()).ends_with_code(0).says(&words);
}

#[test]
fn a_map_has_coordinates_a_scale_and_an_outline() {
    let folder = Folder::with(points());
    let flags = [&POINTS[..], &["--objective", "group-size"]].concat();
    let run = |start: &[&str]| folder.kinfold(&[start, &flags[..]].concat());
    run(&["anonymize", "table.csv", "-o", "release.csv"]).ends_with_code(0);
    folder.write("coast.json", r#"{"type":"LineString","coordinates":[[8,40],[14,46]]}"#);
    folder.write("coast.csv", "lon,lat\n8,40\n14,46\n\n100,100\n101,101\n");
    for outline in ["coast.json", "coast.csv"] {
        run(&["plot", "map", "release.csv", "-o", "map.svg", "--outline", outline]).ends_with_code(0);
        let svg = folder.text("map.svg");
        well_formed(&svg);
        assert!(svg.contains("42° N") && svg.contains("10° E") && svg.contains("50 km at 43° N"), "{svg}");
        assert_eq!(svg.matches("<path class=\"outline\"").count(), 1, "what is far away is left out");
    }
    run(&["plot", "map", "release.csv", "-o", "map.svg", "--outline", "release.csv"])
        .ends_with_code(2)
        .complains("the outline cannot be drawn")
        .hints("GeoJSON");
    run(&["plot", "map", "release.csv", "-o", "coast.csv", "--outline", "coast.csv"]).ends_with_code(2);
}
