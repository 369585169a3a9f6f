import type { BackendServer } from '../../../ports/host/site-settings.ts'

/** A server as one types it; its weight stands behind it where it is not 1. */
export const serverLine = ({ url, weight }: BackendServer): string =>
  weight === 1 ? url : `${url} ${weight}`

/** Null for a line that is none; its address is judged elsewhere. */
export const serverOf = (line: string): BackendServer | null => {
  const [url = '', weight = '1', ...more] = line.trim().split(/\s+/)
  if (!/^https?:\/\/./i.test(url) || !/^\d{1,3}$/.test(weight) || more.length > 0) return null
  return { url, weight: Number(weight) }
}
