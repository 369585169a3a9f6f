import { readFileSync } from 'node:fs'

/** A line of /proc/self/mountinfo, as far as it matters. */
export interface Mount {
  mount: string
  /** `major:minor` of what `stat` answers as device. */
  device: string
  type: string
  /** What of the file system is mounted there; `/`: all of it. */
  root: string
  /** Whether the file system itself takes no changes, whoever asks. */
  readOnly: boolean
}

/** Blanks and the like stand there as `\040`. */
const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_all, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  )

/** Later mounts lie over earlier ones of the same place, which are left out. */
export const parseMounts = (text: string): Mount[] => {
  const found = new Map<string, Mount>()
  for (const line of text.split('\n')) {
    const [own, other] = line.split(' - ')
    const fields = own?.split(' ') ?? []
    const [, , device, root, place] = fields
    const [type, , options = ''] = other?.split(' ') ?? []
    if (device === undefined || root === undefined || place === undefined) continue
    if (type === undefined) continue
    const mount = unescaped(place)
    found.delete(mount)
    // The options of the mount alone are those of our own view, in which systemd lets us write to our places only.
    const readOnly = options.split(',').includes('ro')
    found.set(mount, { mount, device, type, root: unescaped(root), readOnly })
  }
  return [...found.values()]
}

/** Empty where the kernel does not tell. */
export const readMounts = (): Mount[] => {
  try {
    return parseMounts(readFileSync('/proc/self/mountinfo', 'utf8'))
  } catch {
    return []
  }
}

/**
 * The mount that a path (absolute, without links) lies on. Where that is a part of a file
 * system that is also mounted whole, as in the view that systemd gives a service, it is the whole.
 */
export const mountOf = (path: string, mounts: readonly Mount[]): Mount | null => {
  const [own] = mounts
    .filter(({ mount }) => mount === '/' || path === mount || path.startsWith(`${mount}/`))
    .sort((a, b) => b.mount.length - a.mount.length)
  if (own === undefined) return null
  const whole = mounts.find(({ device, root }) => device === own.device && root === '/')
  return own.root === '/' ? own : (whole ?? own)
}
