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
}

/** The machine that accounts live on. */
export interface SystemPort {
  /** Processor usage is the average since an earlier call, so that no call waits for a sample. */
  info(): Promise<SystemInfo>
}
