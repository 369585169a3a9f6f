/** Prints JSON data for people: one indented line per value. */
export const printFacts = (value: unknown, indent = ''): void => {
  if (typeof value !== 'object' || value === null) {
    console.log(`${indent}${String(value)}`)
    return
  }
  const entries = Object.entries(value)
  const width = Math.max(...entries.map(([key]) => key.length), 0)
  for (const [key, entry] of entries) {
    if (typeof entry === 'object' && entry !== null) {
      if (Object.keys(entry).length === 0) console.log(`${indent}${key.padEnd(width)}  none`)
      else {
        console.log(`${indent}${key}`)
        printFacts(entry, `${indent}  `)
      }
    } else console.log(`${indent}${key.padEnd(width)}  ${String(entry)}`)
  }
}
