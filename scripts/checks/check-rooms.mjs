import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'

/**
 * Halls whose rooms (folders side by side) import one way, and the most floors a
 * picture of them may need, the files beside the rooms not counted.
 */
const HALLS = new Map([
  ['edge-cache', 8],
  ['handlers/domain', 8],
  ['handlers/services', 8],
  ['handlers/panel', 8],
  ['adapters/node', 8],
])

/** Folders that are looked over as a whole: none has more files than this side by side. */
const MOST_FILES = 20
const LOOKED_OVER = ['adapters', 'bench', 'cli', 'edge-cache', 'handlers', 'scripts', 'src', 'test']
/** @param {string} text what stands in quotes behind `from` or `import` */
const specifiersOf = (text) =>
  [...text.matchAll(/\b(?:from|import)(?: |\()'([^'\n]+)'/g)].map(([, specifier = '']) => specifier)

/** @param {string} file @param {string} specifier relative to the project; null: a package's */
const targetOf = (file, specifier) => {
  if (specifier.startsWith('.')) return normalize(join(dirname(file), specifier))
  return specifier.startsWith('#') ? specifier.slice(1) : null
}

/**
 * @param {string} root
 * @param {string} hall
 * @returns {Map<string, Set<string>>} by room: the rooms that it imports, types included
 */
export const roomsOf = (root, hall) => {
  const files = readdirSync(join(root, hall), { recursive: true, encoding: 'utf8' })
  /** @type {Map<string, Set<string>>} */
  const rooms = new Map()
  /** @param {string} path below the hall; null for files beside the rooms */
  const roomOf = (path) => (path.includes('/') ? (path.split('/', 1)[0] ?? null) : null)
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    const room = roomOf(file)
    if (room === null) continue
    const imported = rooms.get(room) ?? new Set()
    rooms.set(room, imported)
    const path = `${hall}/${file}`
    for (const specifier of specifiersOf(readFileSync(join(root, path), 'utf8'))) {
      const target = targetOf(path, specifier)
      if (target === null || !target.startsWith(`${hall}/`)) continue
      const other = roomOf(target.slice(hall.length + 1))
      if (other !== null && other !== room) imported.add(other)
    }
  }
  return rooms
}

/**
 * The floor of each room, the lowest being 1: one above the highest that it imports.
 *
 * @param {Map<string, Set<string>>} rooms
 * @returns {{ floors: Map<string, number>, circle: string[] | null }} `circle`: rooms that import each other
 */
export const floorsOf = (rooms) => {
  /** @type {Map<string, number>} */
  const floors = new Map()
  /** @type {string[]} */
  const way = []
  /** @type {string[] | null} */
  let circle = null
  /** @param {string} room @returns {number} */
  const floorOf = (room) => {
    const known = floors.get(room)
    if (known !== undefined) return known
    if (way.includes(room)) {
      circle = way.slice(way.indexOf(room))
      return 1
    }
    way.push(room)
    const floor = 1 + Math.max(0, ...[...(rooms.get(room) ?? [])].map(floorOf))
    way.pop()
    floors.set(room, floor)
    return floor
  }
  for (const room of rooms.keys()) floorOf(room)
  return { floors, circle }
}

/** @param {string} hall @param {Map<string, Set<string>>} rooms a drawing in Mermaid */
const drawn = (hall, rooms) =>
  [
    `flowchart TD`,
    `  %% ${hall}`,
    ...[...rooms].flatMap(([room, imported]) =>
      imported.size === 0
        ? [`  ${room}`]
        : [...imported].sort().map((other) => `  ${room} --> ${other}`),
    ),
  ].join('\n')

/** @param {string} root */
const crowdedFolders = (root) => {
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const top of LOOKED_OVER)
    for (const entry of readdirSync(join(root, top), { recursive: true, withFileTypes: true }))
      if (entry.isFile()) {
        const folder = relative(root, entry.parentPath)
        counts.set(folder, (counts.get(folder) ?? 0) + 1)
      }
  return [...counts]
    .filter(([, count]) => count > MOST_FILES)
    .map(
      ([folder, count]) =>
        `${folder}: ${count} files side by side; give those that belong together a room (${MOST_FILES} at most).`,
    )
}

/**
 * What is wrong with the rooms, one sentence each.
 *
 * @param {string} root
 * @returns {string[]}
 */
export const checkRooms = (root) => {
  /** @type {string[]} */
  const said = []
  for (const [hall, mostFloors] of HALLS) {
    const { floors, circle } = floorsOf(roomsOf(root, hall))
    const most = Math.max(0, ...floors.values())
    if (circle !== null)
      said.push(`${hall}: rooms import each other: ${[...circle, circle[0]].join(' -> ')}.`)
    else if (most > mostFloors)
      said.push(`${hall}: ${most} floors of rooms, where ${mostFloors} must do.`)
  }
  return [...said, ...crowdedFolders(root)]
}

if (import.meta.filename === process.argv[1]) {
  const root = join(import.meta.dirname, '../..')
  if (process.argv.includes('--draw'))
    for (const hall of HALLS.keys()) console.log(drawn(hall, roomsOf(root, hall)))
  const said = checkRooms(root)
  for (const line of said) console.error(line)
  process.exitCode = said.length === 0 ? 0 : 1
}
