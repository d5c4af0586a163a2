// What must compile, and what must not: each `@ts-expect-error` fails where the line below it is right.
import { connect, DifferentialDrive, ErrorCode, Refused, Sonars, Stepper } from "../coopsim.js";

const sim = await connect("127.0.0.1:5571", 1);
const ranges: readonly number[] = (await new Sonars(sim, "/robot1/sonars").ranges()).ranges;
const drive = new DifferentialDrive(sim, "/robot1/motors");
await drive.setVelocity({ v: ranges[0] });
// @ts-expect-error: a speed is a number
await drive.setVelocity({ v: "fast" });
// @ts-expect-error: no such argument
await drive.setVelocity({ speed: 1 });
// @ts-expect-error: no such command
await drive.fly();
const stepper = await Stepper.of(sim, "robot1");
stepper.setDifferentialDrive("robot1", { v: 0.1 });
const speed: number = (await stepper.step()).differentialDrive("robot1").v;
// @ts-expect-error: a module that reads nothing has no readings
(await stepper.step()).world("robot1");
const isMissing = (problem: unknown) => problem instanceof Refused && problem.number === ErrorCode.NO_SUCH_NAME;
export { isMissing, speed };
