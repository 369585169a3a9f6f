import { closeSync, read } from 'node:fs'
import type { RuleFiles } from '#handlers/sites/rule-files.ts'
import { createPasswordCheck } from '../auth/verify-password.ts'
import { openForReading } from './open-judged.ts'

const readAll = async (fd: number, sizeBytes: number): Promise<Buffer> => {
  const buffer = Buffer.alloc(sizeBytes)
  let filled = 0
  while (filled < sizeBytes) {
    const count = await new Promise<number>((resolve, reject) => {
      read(fd, buffer, filled, sizeBytes - filled, filled, (error, bytes) => {
        if (error) reject(error)
        else resolve(bytes)
      })
    })
    if (count === 0) break
    filled += count
  }
  return buffer.subarray(0, filled)
}

/** Rules and password files of sites on this machine, judged on their descriptors; see `RuleFiles`. */
export const createRuleFiles = (): RuleFiles => ({
  verifyPassword: createPasswordCheck(),
  async read(place, known, maxBytes) {
    const judged = await openForReading(place)
    if (judged.kind === 'directory') return { kind: 'denied' }
    if (judged.kind !== 'file') return { kind: judged.kind }
    const { fd, stats } = judged
    try {
      const stamp = `${stats.ino}-${stats.size}-${stats.mtimeMs}-${stats.ctimeMs}`
      if (stamp === known) return { kind: 'same' }
      if (stats.size > maxBytes) return { kind: 'too-large' }
      return { kind: 'text', text: (await readAll(fd, stats.size)).toString('utf8'), stamp }
    } finally {
      closeSync(fd)
    }
  },
})
