// What a page may write: the same names, without Node.
import { connect, DifferentialDrive, Lost, Sonars } from "../coopsim.js";

const sim = await connect("127.0.0.1:5573", 1);
const ranges: readonly number[] = (await new Sonars(sim, "/robot1/sonars").ranges()).ranges;
document.title = `${Math.min(...ranges)} m`;
addEventListener("pointerdown", () => void new DifferentialDrive(sim, "/robot1/motors").setVelocity({ v: 0.2 }));
// @ts-expect-error: a page has no environment
export const address = process.env.COOPSIM_TCP;
export const isGone = (problem: unknown) => problem instanceof Lost;
