const MAX_DATABASE_NAME = 32

/** A user name that may be one here, as near to the other panel's as can be; 3-16 of a-z and 0-9. */
export const usernameHere = (username: string): string => {
  const plain = username
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .slice(0, 16)
  const named = /[a-z]/.test(plain) ? plain : `u${plain}`.slice(0, 16)
  return named.padEnd(3, '0')
}

/**
 * Full names here for databases or their users of there, each once: the same where it
 * is `<username>_` and characters that may be, else the nearest one.
 */
export const databaseNamesHere = (
  names: readonly string[],
  { there, here }: { there: string; here: string },
): Map<string, string> => {
  const taken = new Set<string>()
  const found = new Map<string, string>()
  for (const name of names) {
    if (found.has(name)) continue
    const bare = name.startsWith(`${there}_`) ? name.slice(there.length + 1) : name
    const plain = bare
      .toLowerCase()
      .replace(/[^a-z0-9_]/g, '_')
      .slice(0, MAX_DATABASE_NAME)
    const first = plain === '' ? 'db' : plain
    let short = first
    for (let count = 2; taken.has(short); count++)
      short = `${first.slice(0, MAX_DATABASE_NAME - 1 - String(count).length)}_${count}`
    taken.add(short)
    found.set(name, `${here}_${short}`)
  }
  return found
}
