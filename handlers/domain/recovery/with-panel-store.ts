import { parse } from 'smol-toml'

/** The keys of `[panel]` that say where the panel's store is; null: not there. */
export interface StoreKeys {
  store: string | null
  store_password_file: string | null
  store_ca_file: string | null
}

const TABLE = /^\s*\[/
const PANEL = /^\s*\[\s*panel\s*\]\s*(#.*)?$/
const OURS = /^\s*(store|store_password_file|store_ca_file)\s*=/

const documentWith = (text: string, keys: StoreKeys): Record<string, unknown> => {
  const { panel, ...rest } = parse(text) as Record<string, Record<string, unknown> | undefined>
  const others = Object.entries(panel ?? {}).filter(([key]) => !Object.hasOwn(keys, key))
  const given = Object.entries(keys).filter(([, value]) => value !== null)
  return { ...rest, panel: Object.fromEntries([...others, ...given]) }
}

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

/**
 * The text of `berth.toml` with these keys in `[panel]` and everything else, comments too, as it
 * was. Throws where they cannot be told from the rest, e.g. in an inline table.
 */
export const withPanelStore = (text: string, keys: StoreKeys): string => {
  let inPanel = false
  const kept = text.split('\n').filter((line) => {
    if (TABLE.test(line)) inPanel = PANEL.test(line)
    return !inPanel || !OURS.test(line)
  })
  const lines = Object.entries(keys).flatMap(([key, value]: [string, string | null]) =>
    value === null ? [] : [`${key} = ${JSON.stringify(value)}`],
  )
  const at = kept.findIndex((line) => PANEL.test(line))
  const written = (
    at < 0 ? [...kept, '[panel]', ...lines, ''] : kept.toSpliced(at + 1, 0, ...lines)
  ).join('\n')
  let same = false
  try {
    same =
      sorted(documentWith(written, keys)) === sorted(parse(written)) &&
      sorted(documentWith(text, keys)) === sorted(parse(written))
  } catch {
    // A text of several lines held what looks like a table, or one of the keys.
  }
  if (same) return written
  throw new Error('the keys of the store cannot be told from the rest of the configuration')
}
