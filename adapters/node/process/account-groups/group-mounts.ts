/** Where a hierarchy of control groups can be written, as this process sees it. */
export interface GroupHierarchy {
  /** 1: one of the old ones, for some controllers; 2: the unified one. */
  version: 1 | 2
  /** Names of controllers; empty for version 2, which says them in `cgroup.controllers`. */
  controllers: readonly string[]
  /** The mount. */
  mount: string
  /** The directory of the group that this process is in; below it others may be made. */
  own: string
}

/** Of mountinfo(5): blanks and the like in paths are octal. */
const plain = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)))

/** Path of a group below the mount, whose root need not be that of the hierarchy (containers). */
const below = (mount: string, root: string, group: string): string => {
  const base = root === '/' ? '' : root
  const rest = group === base ? '' : group.startsWith(`${base}/`) ? group.slice(base.length) : ''
  return `${mount}${rest === '/' ? '' : rest}`
}

/**
 * The hierarchies that are mounted, by `/proc/self/mountinfo` and `/proc/self/cgroup`
 * (cgroups(7)). One that is mounted twice counts once.
 */
export const groupHierarchies = (mountinfo: string, cgroup: string): GroupHierarchy[] => {
  const groups = cgroup.split('\n').flatMap((line) => {
    const [id, controllers, ...path] = line.split(':')
    if (id === undefined || controllers === undefined || path.length === 0) return []
    return [
      { controllers: controllers.split(',').filter((one) => one !== ''), path: path.join(':') },
    ]
  })
  const found: GroupHierarchy[] = []
  for (const line of mountinfo.split('\n')) {
    const [front = '', back] = line.split(' - ')
    const [, , , root, mount] = front.split(' ')
    const [type, , options] = back?.split(' ') ?? []
    if (root === undefined || mount === undefined) continue
    if (type !== 'cgroup' && type !== 'cgroup2') continue
    const names = new Set(options?.split(','))
    const group = groups.find(({ controllers }) =>
      type === 'cgroup2' ? controllers.length === 0 : controllers.some((one) => names.has(one)),
    )
    if (group === undefined) continue
    const at = plain(mount)
    const one: GroupHierarchy = {
      version: type === 'cgroup2' ? 2 : 1,
      controllers: group.controllers,
      mount: at,
      own: below(at, plain(root), group.path),
    }
    const isKnown = found.some(
      (other) =>
        other.version === one.version && other.controllers.join() === one.controllers.join(),
    )
    if (!isKnown) found.push(one)
  }
  return found
}
