import { texts } from '../texts/index.ts'

/** The two largest units, e.g. `12 d 4 h`, `3 min 20 s`. */
export const duration = (secs: number): string => {
  const { units } = texts
  const parts: [number, string][] = [
    [Math.floor(secs / 86_400), units.day],
    [Math.floor((secs % 86_400) / 3600), units.hour],
    [Math.floor((secs % 3600) / 60), units.minute],
    [Math.floor(secs % 60), units.second],
  ]
  const first = parts.findIndex(([count]) => count > 0)
  if (first === -1) return `0 ${units.second}`
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ')
}
