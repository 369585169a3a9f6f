/** How accounts are held to what their plans give all their programs together. */
export interface SystemHolds {
  /** Null: they are not, and `reason` says why; then each process is held by itself alone. */
  kind: 'systemd slices' | 'cgroup v2' | 'cgroup v1' | null
  /** What of it. */
  holds: ('cpu' | 'memory' | 'tasks' | 'io')[]
  reason: string | null
}

/** Facts of the machine, as in the spec plus decisions ("System"). */
export interface SystemInfo {
  hostname: string
  os: string
  kernel: string
  arch: string
  cpu_model: string
  cpu_count: number
  cpu_usage_percent: number
  memory_total_mb: number
  memory_used_mb: number
  disk_total_mb: number
  disk_used_mb: number
  uptime_secs: number
  process_count: number
  load_average: [number, number, number]
  account_limits: SystemHolds
}

/** The machine that accounts live on. */
export interface SystemPort {
  /** Processor usage is the average since an earlier call, so that no call waits for a sample. */
  info(): Promise<SystemInfo>
}
