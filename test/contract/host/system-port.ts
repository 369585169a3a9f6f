import { describe, expect, it } from 'vitest'
import type { SystemPort } from '#handlers/ports/host/system.ts'

/** What every implementation of `SystemPort` keeps to. */
export const systemPortContract = (label: string, create: () => Promise<SystemPort>): void => {
  describe(`SystemPort: ${label}`, () => {
    it('tells plausible facts, every time', async () => {
      const system = await create()
      for (const _ of [1, 2, 3]) {
        const info = await system.info()
        for (const text of [info.hostname, info.os, info.kernel, info.arch, info.cpu_model])
          expect(text).not.toBe('')
        expect(info.cpu_count).toBeGreaterThan(0)
        expect(info.cpu_usage_percent).toBeGreaterThanOrEqual(0)
        expect(info.cpu_usage_percent).toBeLessThanOrEqual(100)
        for (const [used, total] of [
          [info.memory_used_mb, info.memory_total_mb],
          [info.disk_used_mb, info.disk_total_mb],
        ] as const) {
          expect(Number.isInteger(used) && Number.isInteger(total)).toBe(true)
          expect(used).toBeLessThanOrEqual(total)
          expect(total).toBeGreaterThan(0)
        }
        expect(Number.isInteger(info.uptime_secs)).toBe(true)
        expect(info.process_count).toBeGreaterThan(0)
        expect(info.load_average).toHaveLength(3)
      }
    })
  })
}
