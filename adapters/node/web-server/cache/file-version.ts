import { stat } from 'node:fs/promises'
import type { FileVersion } from '#edge-cache/index.ts'

/**
 * By what a file system knows of it. The time is that of the last change of any kind,
 * which nobody can set: programs that put sites in place give files older times.
 */
export const fileVersion: FileVersion = async (file) => {
  try {
    const { dev, ino, size, ctimeNs, ctimeMs } = await stat(file, { bigint: true })
    return { version: `${dev}-${ino}-${size}-${ctimeNs}`, changedAtMs: Number(ctimeMs) }
  } catch {
    return null
  }
}
