import { readFileSync } from 'node:fs'

/** A line of /proc/self/mountinfo, as far as it matters. */
export interface Mount {
  mount: string
  /** `major:minor` of what `stat` answers as device. */
  device: string
  type: string
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
    const [, , device, , place, options] = fields
    const [type, , superOptions] = other?.split(' ') ?? []
    if (device === undefined || place === undefined || type === undefined) continue
    const all = `${options ?? ''},${superOptions ?? ''}`.split(',')
    const mount = unescaped(place)
    found.delete(mount)
    found.set(mount, { mount, device, type, readOnly: all.includes('ro') })
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

/** The mount that a path (absolute, without links) lies on. */
export const mountOf = (path: string, mounts: readonly Mount[]): Mount | null =>
  mounts
    .filter(({ mount }) => mount === '/' || path === mount || path.startsWith(`${mount}/`))
    .sort((a, b) => b.mount.length - a.mount.length)[0] ?? null
