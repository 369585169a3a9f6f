import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MachineFacts, MachinePort } from '#handlers/ports/host/machine.ts'

/** A machine to look at. */
export interface MachinePortSubject {
  machine: MachinePort
  dispose(): Promise<void>
}

/** What every implementation of `MachinePort` keeps to. */
export const machinePortContract = (
  label: string,
  create: () => Promise<MachinePortSubject>,
): void => {
  describe(`MachinePort: ${label}`, () => {
    let subject: MachinePortSubject
    let facts: MachineFacts
    beforeAll(async () => {
      subject = await create()
      facts = await subject.machine.facts()
    })
    afterAll(() => subject.dispose())

    it('answers each part, or why it cannot be seen, in words', () => {
      for (const [part, seen] of Object.entries(facts)) {
        if (seen.seen) expect(seen.value, part).toBeDefined()
        else expect(seen.reason, part).toMatch(/\w+ \w+/)
      }
      expect(Object.keys(facts).sort()).toEqual([
        'children',
        'clock',
        'databaseServers',
        'disks',
        'limits',
        'memory',
        'packages',
        'ports',
      ])
    })

    it('tells plausible figures of disks, memory and limits', () => {
      const { disks, memory, limits } = facts
      if (!disks.seen || !memory.seen || !limits.seen) throw new Error('not seen')
      expect(disks.value.length).toBeGreaterThan(0)
      for (const disk of disks.value) {
        expect(disk.mount.startsWith('/')).toBe(true)
        expect(disk.holds.length).toBeGreaterThan(0)
        expect(disk.freeBytes).toBeLessThanOrEqual(disk.totalBytes)
        expect(disk.freeFiles).toBeLessThanOrEqual(disk.totalFiles)
      }
      const { totalBytes, availableBytes, swapTotalBytes, swapFreeBytes } = memory.value
      expect(availableBytes).toBeGreaterThan(0)
      expect(availableBytes).toBeLessThanOrEqual(totalBytes)
      expect(swapFreeBytes).toBeLessThanOrEqual(swapTotalBytes)
      expect(limits.value.filling.length).toBeGreaterThan(0)
      for (const { name, used, limit } of limits.value.filling)
        expect(used, name).toBeLessThanOrEqual(limit)
    })

    it('names each disk once, and what fills it by a disk of the same machine', async () => {
      if (!facts.disks.seen) throw new Error('not seen')
      const mounts = facts.disks.value.map(({ mount }) => mount)
      expect(new Set(mounts).size).toBe(mounts.length)
      const fillers = await subject.machine.fillers()
      for (const { bytes, files, path } of fillers) {
        expect(bytes, path).toBeGreaterThanOrEqual(0)
        expect(files, path).toBeGreaterThanOrEqual(0)
      }
      expect(fillers.map(({ bytes }) => bytes)).toEqual(
        fillers.map(({ bytes }) => bytes).sort((a, b) => b - a),
      )
    })

    it('answers the same again', async () => {
      const again = await subject.machine.facts()
      expect(Object.keys(again).sort()).toEqual(Object.keys(facts).sort())
    })
  })
}
