"""Contents of a `[JOINT_n]` section, and what resists the motion of a joint."""

from dataclasses import dataclass, field

from coopsim.geometry import Vector3
from coopsim.scene.spans import Span


@dataclass(frozen=True, slots=True)
class JointDynamics:
    """Resistance to the motion of a hinge or slide, and the joint that it follows.

    Attributes:
        damping: Torque or force against its velocity [N m s/rad, N s/m].
        friction: Coulomb's, whatever the load [N m, N].
        stiffness: Of a spring in it [N m/rad, N/m].
        rest: Position at which that spring pulls nowhere [rad, m].
        follows: Name of a joint whose position decides its own, as `ratio` times that and `offset`; "" = none.
        ratio: See there [1, m/rad, rad/m].
        offset: See there [rad, m].
    """

    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    follows: str = ""
    ratio: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class Joint:
    """A `[JOINT_n]` section: two bodies joined where they are when the joint is made, which is its position 0.

    Attributes:
        kind: "pivot", "hinge", "weld", "slide", "support" or "spring".
        a: The body that carries the joint; in a `.robot` file the name of a link, or `BASE`.
        b: The other body.
        anchor: Where the joint is, in the frame of a [m].
        axis: Direction of a hinge or slide, in the frame of a.
        limits: Lowest and highest position of a hinge [rad] or slide, or length of a spring [m]; () = none.
        travel: How far the carriage of a support moves in each direction [m]; 0 = as far as it is pushed.
        stiffness: Of a spring, or of those of a support [N/m].
        damping: Of a spring, or of those of a support [N s/m].
        carriage: Mass of the carriage of a support [kg].
        armature: What motor and gear of a hinge or slide add to its inertia [kg m2, kg].
        far_anchor: Where the other end of a spring is, in the frame of b [m]; None = at its origin.
        length: Of a spring that nothing pulls at [m]; None = as long as it is where it is made.
        is_of_world: Whether it stands in a `.world` file.
        a_span: Where the file names the first body; `b_span` the other one.
        dynamics: Of a hinge or slide; None = it moves freely.
    """

    name: str
    kind: str
    a: str
    b: str
    anchor: Vector3 = (0.0, 0.0, 0.0)
    axis: Vector3 = (0.0, 0.0, 1.0)
    limits: tuple[float, ...] = ()
    travel: float = 0.0
    stiffness: float = 4000.0
    damping: float = 400.0
    carriage: float = 2.0
    is_of_world: bool = False
    armature: float = 0.0
    far_anchor: Vector3 | None = None
    length: float | None = None
    span: Span = field(default=Span(), compare=False)
    a_span: Span = field(default=Span(), compare=False)
    b_span: Span = field(default=Span(), compare=False)
    dynamics: JointDynamics | None = None
