"""Definitions of `simulation_interfaces`, of parameters and of actions, in the form of `types.MESSAGES`.

Source: simulation_interfaces 2.1, rcl_interfaces, action_msgs and unique_identifier_msgs of ROS 2 Jazzy.
"""

from typing import Final

_PACKAGE: Final = "simulation_interfaces"
SIMULATION_MESSAGES: Final = """
unique_identifier_msgs/msg/UUID: uint8[16] uuid
action_msgs/msg/GoalInfo: unique_identifier_msgs/UUID goal_id, builtin_interfaces/Time stamp
action_msgs/msg/GoalStatus: GoalInfo goal_info, int8 status
action_msgs/msg/GoalStatusArray: GoalStatus[] status_list
rcl_interfaces/msg/FloatingPointRange: float64 from_value, float64 to_value, float64 step
rcl_interfaces/msg/IntegerRange: int64 from_value, int64 to_value, uint64 step
rcl_interfaces/msg/ParameterValue: uint8 type, bool bool_value, int64 integer_value, float64 double_value, \
string string_value, byte[] byte_array_value, bool[] bool_array_value, int64[] integer_array_value, \
float64[] double_array_value, string[] string_array_value
rcl_interfaces/msg/Parameter: string name, ParameterValue value
rcl_interfaces/msg/ParameterDescriptor: string name, uint8 type, string description, string additional_constraints, \
bool read_only, bool dynamic_typing, FloatingPointRange[<=1] floating_point_range, IntegerRange[<=1] integer_range
rcl_interfaces/msg/SetParametersResult: bool successful, string reason
rcl_interfaces/msg/ListParametersResult: string[] names, string[] prefixes
simulation_interfaces/msg/Result: uint8 result, string error_message
simulation_interfaces/msg/Bounds: uint8 type, geometry_msgs/Vector3[] points
simulation_interfaces/msg/EntityCategory: uint8 category
simulation_interfaces/msg/TagsFilter: string[] tags, uint8 filter_mode
simulation_interfaces/msg/EntityFilters: string filter, EntityCategory[] categories, TagsFilter tags, Bounds bounds
simulation_interfaces/msg/EntityInfo: EntityCategory category, string description, string[] tags
simulation_interfaces/msg/EntityState: std_msgs/Header header, geometry_msgs/Pose pose, geometry_msgs/Twist twist, \
geometry_msgs/Accel acceleration
simulation_interfaces/msg/Resource: string uri, string resource_string
simulation_interfaces/msg/SimulationState: uint8 state
simulation_interfaces/msg/SimulatorFeatures: uint16[] features, string[] spawn_formats, string custom_info
simulation_interfaces/msg/Spawnable: Resource entity_resource, string description, Bounds spawn_bounds
simulation_interfaces/msg/WorldResource: string name, Resource world_resource, string description, string[] tags
"""
SIMULATION_SERVICES: Final = """
action_msgs/srv/CancelGoal: action_msgs/GoalInfo goal_info --- int8 return_code, action_msgs/GoalInfo[] goals_canceling
rcl_interfaces/srv/GetParameters: string[] names --- rcl_interfaces/ParameterValue[] values
rcl_interfaces/srv/GetParameterTypes: string[] names --- uint8[] types
rcl_interfaces/srv/SetParameters: rcl_interfaces/Parameter[] parameters --- \
rcl_interfaces/SetParametersResult[] results
rcl_interfaces/srv/SetParametersAtomically: rcl_interfaces/Parameter[] parameters --- \
rcl_interfaces/SetParametersResult result
rcl_interfaces/srv/DescribeParameters: string[] names --- rcl_interfaces/ParameterDescriptor[] descriptors
rcl_interfaces/srv/ListParameters: string[] prefixes, uint64 depth --- rcl_interfaces/ListParametersResult result
simulation_interfaces/srv/GetSimulatorFeatures: --- SimulatorFeatures features
simulation_interfaces/srv/SpawnEntity: string name, bool allow_renaming, Resource entity_resource, \
string entity_namespace, geometry_msgs/PoseStamped initial_pose --- Result result, string entity_name
simulation_interfaces/srv/DeleteEntity: string entity --- Result result
simulation_interfaces/srv/GetEntityState: string entity --- Result result, EntityState state
simulation_interfaces/srv/SetEntityState: string entity, EntityState state, bool set_pose, bool set_twist, \
bool set_acceleration --- Result result
simulation_interfaces/srv/GetEntities: EntityFilters filters --- Result result, string[] entities
simulation_interfaces/srv/GetEntitiesStates: EntityFilters filters --- Result result, string[] entities, \
EntityState[] states
simulation_interfaces/srv/GetEntityInfo: string entity --- Result result, EntityInfo info
simulation_interfaces/srv/GetEntityBounds: string entity --- Result result, Bounds bounds
simulation_interfaces/srv/GetSpawnables: string[] sources --- Result result, Spawnable[] spawnables
simulation_interfaces/srv/GetSimulationState: --- SimulationState state, Result result
simulation_interfaces/srv/SetSimulationState: SimulationState state --- Result result
simulation_interfaces/srv/ResetSimulation: uint8 scope --- Result result
simulation_interfaces/srv/StepSimulation: uint64 steps --- Result result
simulation_interfaces/srv/LoadWorld: Resource world_resource, bool fail_on_unsupported_element, \
bool ignore_missing_or_unsupported_assets --- Result result, WorldResource world
simulation_interfaces/srv/GetAvailableWorlds: string[] additional_sources, TagsFilter filter, bool offline_only, \
bool continue_on_error --- Result result, WorldResource[] worlds
simulation_interfaces/srv/GetCurrentWorld: --- Result result, WorldResource world
"""
SIMULATION_ACTIONS: Final = f"{_PACKAGE}/action/SimulateSteps: uint64 steps --- Result result --- \
uint64 completed_steps, uint64 remaining_steps"
