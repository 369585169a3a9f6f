import { printable } from './printable.ts'

/** A line that tells how far long work is; shown on standard error when that is a terminal. */
export interface Progress {
  /** `percent` null: it cannot be told. */
  show(percent: number | null, text: string): void
  /** Takes the line away. */
  clear(): void
}

const BAR = 24

/** The line itself, no wider than `columns`. */
export const progressLine = (percent: number | null, text: string, columns: number): string => {
  const filled =
    percent === null ? 0 : Math.round((Math.min(100, Math.max(0, percent)) / 100) * BAR)
  const head =
    percent === null
      ? ''
      : `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}] ${String(Math.floor(percent)).padStart(3)} %  `
  return (head + printable(text)).slice(0, Math.max(0, columns - 1))
}

interface Terminal {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
}

/** A progress line; silent where `terminal` is none. */
export const createProgress = (terminal: Terminal = process.stderr): Progress => {
  let shown = ''
  if (terminal.isTTY !== true) return { show: () => undefined, clear: () => undefined }
  return {
    show(percent, text) {
      const line = progressLine(percent, text, terminal.columns ?? 80)
      if (line === shown) return
      shown = line
      terminal.write(`\r\u001b[2K${line}`)
    },
    clear() {
      if (shown !== '') terminal.write('\r\u001b[2K')
      shown = ''
    },
  }
}
