import type { SystemPort } from '#handlers/ports/host/system.ts'

export const createFakeSystem = (): SystemPort => ({
  info: async () => ({
    hostname: 'fake.example',
    os: 'Debian GNU/Linux 12 (bookworm)',
    kernel: '6.1.0',
    arch: 'x64',
    cpu_model: 'Fake CPU',
    cpu_count: 2,
    cpu_usage_percent: 12.5,
    memory_total_mb: 4096,
    memory_used_mb: 1024,
    disk_total_mb: 50_000,
    disk_used_mb: 10_000,
    uptime_secs: 3600,
    process_count: 100,
    load_average: [0.1, 0.2, 0.3],
    account_limits: { kind: 'cgroup v2', holds: ['cpu', 'memory', 'tasks', 'io'], reason: null },
  }),
})
