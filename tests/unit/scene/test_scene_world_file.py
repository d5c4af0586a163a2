"""`.world` files: the paper's template, and every mistake at its place."""

import math
from pathlib import Path

import pytest

from coopsim.scene import Object, Problems, World, read_world

FIG_7 = """\
[FLOOR]\t
size\t10 8 0.1
[WALL_1]
type\tbox
size\t10 0.2 0.5
position\t0 4 0
orientation\t0 0 0
mass\t0
[WALL_n]
type\tcylinder
size\t0.6 0.6 0.4
position\t1 1 0
orientation\t10 20 90
mass\t12
"""


def world(tmp_path: Path, text: str | bytes) -> tuple[World, Problems]:
    file = tmp_path / "a.world"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_world(file)


def positions(problems: Problems) -> list[tuple[int, int]]:
    return [(problem.span.line, problem.span.column) for problem in problems]


def only(problems: Problems) -> str:
    assert problems.total == 1, str(problems)
    return next(iter(problems)).text


def test_the_template_of_figure_7_filled_in_is_read_as_printed_C_65(tmp_path: Path) -> None:
    spec, problems = world(tmp_path, FIG_7)
    assert str(problems) == ""
    assert [wall.name for wall in spec.objects] == ["wall_1", "wall_n"]
    assert all(wall.is_wall for wall in spec.objects)


def test_the_floors_size_is_length_width_height_C_66(tmp_path: Path) -> None:
    spec, _ = world(tmp_path, FIG_7)
    assert (spec.floor.size, spec.floor.name) == ((10.0, 8.0, 0.1), "floor")


def test_a_wall_has_type_size_position_orientation_and_mass_C_67(tmp_path: Path) -> None:
    spec, _ = world(tmp_path, FIG_7)
    wall = spec.objects[1]
    assert (wall.shape, wall.size, wall.position, wall.mass) == ("cylinder", (0.6, 0.6, 0.4), (1.0, 1.0, 0.0), 12.0)
    assert wall.orientation == pytest.approx((math.radians(10), math.radians(20), math.radians(90)))
    spheres = FIG_7.replace("cylinder", "sphere").replace("0.6 0.6 0.4", "0.6 0.6 0.6")
    assert {thing.shape for text in (FIG_7, spheres) for thing in world(tmp_path, text)[0].objects} >= {
        "cylinder",
        "sphere",
    }


def test_orientation_is_phi_psi_theta_in_degrees_in_files_alone_C_68(tmp_path: Path) -> None:
    spec, _ = world(tmp_path, FIG_7)
    assert spec.objects[1].orientation == pytest.approx((math.radians(10), math.radians(20), math.pi / 2))


@pytest.mark.parametrize("shape", ["box", "cylinder", "sphere"])
def test_the_three_simple_shapes_are_known_C_56(tmp_path: Path, shape: str) -> None:
    spec, problems = world(tmp_path, f"[OBJECT_1]\ntype {shape}\nsize 1 1 1\nposition 0 0 0\n")
    assert not problems.total
    assert spec.objects[0].shape == shape


def test_a_file_may_set_the_mass_and_leave_all_other_physics_to_defaults_C_35(tmp_path: Path) -> None:
    spec, _ = world(tmp_path, "[OBJECT_1]\ntype box\nsize 1 1 1\nposition 0 0 0\nmass 3\n")
    assert (spec.objects[0].mass, spec.objects[0].friction) == (3.0, Object("", "", (1, 1, 1), (0, 0, 0)).friction)


def test_a_world_with_nothing_but_a_floor_is_a_world_C_53(tmp_path: Path) -> None:
    spec, problems = world(tmp_path, "[FLOOR]\nsize 20 20 0.1\n")
    assert (spec.objects, problems.total) == ((), 0)


def test_length_and_width_of_a_cylinder_are_its_diameter(tmp_path: Path) -> None:
    _, problems = world(tmp_path, "[OBJECT_1]\ntype cylinder\nposition 0 0 0\nsize 1 2 1\n")
    assert "are its diameter" in only(problems)
    assert positions(problems) == [(4, 6)]


def test_keys_and_sections_may_be_written_in_any_case_and_order(tmp_path: Path) -> None:
    text = "[wall_1]\nMASS 1\nPosition 1 2 0\nSize 1 1 1\nTYPE Box\n[Floor]\nSIZE 5 5 0.1\n"
    spec, problems = world(tmp_path, text)
    assert str(problems) == ""
    assert (spec.objects[0].position, spec.floor.size) == ((1.0, 2.0, 0.0), (5.0, 5.0, 0.1))


def test_comments_blank_lines_tabs_and_foreign_line_ends_do_not_matter(tmp_path: Path) -> None:
    text = "\ufeff# a\r\n\r\n  [FLOOR] # b\r\tsize\t5  5\t0.1#c\r\n"
    spec, problems = world(tmp_path, text)
    assert str(problems) == ""
    assert spec.floor.size == (5.0, 5.0, 0.1)


@pytest.mark.parametrize(
    ("written", "color"),
    [
        ("orange", (1.0, 165 / 255, 0.0)),
        ("Orange", (1.0, 165 / 255, 0.0)),
        ("255 0 51", (1.0, 0.0, 0.2)),
        ("0.5 0 1", (0.5, 0.0, 1.0)),
        ("1 0 0", (1.0, 0.0, 0.0)),
    ],
)
def test_a_color_is_a_name_or_0_to_255_or_0_to_1(tmp_path: Path, written: str, color: tuple[float, ...]) -> None:
    spec, problems = world(tmp_path, f"[FLOOR]\nsize 1 1 1\ncolor {written}\n")
    assert str(problems) == ""
    assert spec.floor.color == pytest.approx(color)


@pytest.mark.parametrize(
    ("line", "text", "column"),
    [
        ("frictoin 0.5", "[WALL_1] knows no key 'frictoin' (frictoin → friction?)", 1),
        ("xyz 1", "'xyz'; it knows type, size, position", 1),
        ("mass", "'mass' has no value", 1),
        ("mass heavy", "mass expects a number, got 'heavy'", 6),
        ("mass 1 2", "mass takes 1 number, got 2", 1),
        ("mass -1", "mass must lie within 0 and 1e+09 kg, got -1", 6),
        ("mass nan", "mass expects a finite number, got 'nan'", 6),
        ("mass 1e999", "mass expects a finite number, got '1e999'", 6),
        ("orientation 0 0", "orientation takes 3 numbers (phi psi theta), got 2", 1),
        ("orientation 0 inf 0", "orientation expects a finite number, got 'inf'", 15),
        ("orientation 1_0 0 0", "orientation expects a finite number, got '1_0'", 13),
        ("orientation 0, 0 0", "got '0,'; values are separated by spaces", 13),
        ("orientation 0 1,5 0", "got '1,5'; decimals have a point", 15),
        ("color gren", "color 'gren' is unknown (gren → green?)", 7),
        ("color 0.5 200 0", "color goes from 0 to 1 or, in whole numbers, from 0 to 255; got 0.5 200 0", 7),
        ("color 1 2", "color takes a name or 3 numbers (red green blue), got 2", 1),
        ("color 256 0 0", "color red must lie within 0 and 255, got 256", 7),
        ("name 2wall", "'2wall' is no name", 6),
        ("name a/2b", "'2b' is no name", 6),
        ("name sim", "'sim' is reserved", 6),
        ("type box", "'type' is given twice, first on line 2", 1),
        ("texture nowhere.png", "nowhere.png: there is no such file", 9),
        ("mesh nowhere.obj", "nowhere.obj: there is no such file", 6),
    ],
)
def test_a_wrong_line_is_reported_at_the_place_of_the_flaw(tmp_path: Path, line: str, text: str, column: int) -> None:
    _, problems = world(tmp_path, f"[WALL_1]\ntype box\nsize 1 1 1\nposition 0 0 0\n{line}\n")
    assert text in only(problems)
    assert positions(problems) == [(5, column)]


@pytest.mark.parametrize(
    ("size", "text", "column"),
    [
        ("1 -2 1", "size width must lie within 0.001 and 100000 m, got -2", 8),
        ("1 1 0", "size height must lie within 0.001 and 100000 m, got 0", 10),
        ("1e9 1 1", "size length must lie within", 6),
    ],
)
def test_sizes_are_positive_and_of_this_world(tmp_path: Path, size: str, text: str, column: int) -> None:
    _, problems = world(tmp_path, f"[WALL_1]\ntype box\nposition 0 0 0\nsize {size}\n")
    assert text in only(problems)
    assert positions(problems) == [(4, column)]


def test_an_unknown_shape_is_reported_with_the_nearest_known_one(tmp_path: Path) -> None:
    _, problems = world(tmp_path, "[WALL_1]\ntype bxo\nposition 0 0 0\nsize 1 1 1\n")
    assert only(problems) == "type expects box, cylinder, sphere, polygon; got 'bxo' (bxo → box?)"


def test_a_missing_key_is_reported_at_the_header(tmp_path: Path) -> None:
    _, problems = world(tmp_path, "\n[WALL_1]\ntype box\nsize 1 1 1\npositoin 0 0 0\n")
    assert positions(problems) == [(2, 1), (5, 1)]
    assert "needs the key 'position' (positoin → position?)" in str(problems)


@pytest.mark.parametrize(
    ("header", "text"),
    [
        ("[WALL_1", "a section header has the form [NAME]"),
        ("[WALL 1]", "a section header has the form [NAME]"),
        ("[]", "a section header has the form [NAME]"),
        ("[WAL_1]", "unknown section [WAL_1] (WAL_1 → WALL_1?)"),
        ("[WALL]", "[WALL] needs a number: [WALL_1]"),
        ("[FLOOR_1]", "unknown section [FLOOR_1] (FLOOR_1 → FLOOR?)"),
        (
            "[ZZZZZZ]",
            "unknown section [ZZZZZZ]; expected one of [FLOOR], [WALL_1], [OBJECT_1], [ROPE_1], [CLOTH_1], "
            "[SOFT_1], [MAP], [JOINT_1], [AREA_1], [ARTIFACT_1], [VIEW], [WIND]",
        ),
    ],
)
def test_after_a_broken_header_reading_goes_on_at_the_next(tmp_path: Path, header: str, text: str) -> None:
    spec, problems = world(tmp_path, f"{header}\n# below it nothing\n[FLOOR]\nsize 3 3 1\n")
    assert next(iter(problems)).text == text
    assert positions(problems)[-1] == (1, 1)
    assert spec.floor.size == (3.0, 3.0, 1.0)


def test_below_a_header_like_no_other_all_is_skipped(tmp_path: Path) -> None:
    _, problems = world(tmp_path, "[ZZZZZZ]\nthis is\nskipped here\n[FLOOR]\nsize 3 3 1\n")
    assert "unknown section" in only(problems)


@pytest.mark.parametrize("header", ["[WAL_1]", "[WALL]", "[WALL 1]", "[WALL_1", "[ wall-1 ]", "[ WALLS_1 ]"])
def test_mistakes_below_a_misspelt_header_are_named_too(tmp_path: Path, header: str) -> None:
    text = f"{header}\ntype bxo\nsize 1 1\nsize 2 2 2\nposition a b c\nmass -3\ncolr red\n[WALL_1]\ntype box\n"
    _, problems = world(tmp_path, text + "size 1 1 1\nposition 0 0 0\n")
    assert positions(problems) == [(1, 1), (2, 6), (3, 1), (4, 1), (5, 10), (6, 6), (7, 1)]


def test_a_duplicate_section_is_reported_and_still_read(tmp_path: Path) -> None:
    text = "[WALL_1]\ntype box\nsize 1 1 1\nposition 0 0 0\n" * 2
    spec, problems = world(tmp_path, text + "mass -1\n")
    assert len(spec.objects) == 2
    assert positions(problems) == [(5, 1), (9, 6)]
    assert "section [WALL_1] already stands on line 1" in str(problems)


def test_all_entities_share_one_name_space(tmp_path: Path) -> None:
    text = "[FLOOR]\nsize 1 1 1\n[WALL_1]\ntype box\nname floor\nsize 1 1 1\nposition 0 0 0\n"
    _, problems = world(tmp_path, text)
    assert "the name 'floor' is already taken at" in only(problems)
    assert positions(problems) == [(5, 6)]


def test_all_mistakes_come_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = "x 1\n[FLOOR]\nsize 1 1\n[WALL_1]\ntype bax\nsiez 1\n[OBJECT_1\n"
    _, problems = world(tmp_path, text)
    assert positions(problems) == [(1, 1), (3, 1), (4, 1), (4, 1), (5, 6), (6, 1), *[(7, 1)] * 4]


def test_a_problem_prints_file_line_column_the_line_and_a_caret(tmp_path: Path) -> None:
    _, problems = world(tmp_path, "[FLOOR]\nsize\t1 two 3\n")
    lines = str(problems).split("\n")
    assert lines[0] == f"{tmp_path / 'a.world'}:2:8: size expects a number, got 'two'"
    assert lines[1:] == ["    size\t1 two 3", "        \t  ^~~"]


def test_2000_walls_are_read_and_each_knows_its_line(tmp_path: Path) -> None:
    wall = "[WALL_{}]\ntype\tbox\nsize\t1 1 1\nposition\t{} 0 0\norientation\t0 0 0\nmass\t0\n\n"
    spec, problems = world(tmp_path, "".join(wall.format(i, i) for i in range(2000)))
    assert str(problems) == ""
    assert [wall_.position[0] for wall_ in spec.objects] == list(range(2000))
    assert spec.objects[1999].span.line == 1999 * 7 + 1
