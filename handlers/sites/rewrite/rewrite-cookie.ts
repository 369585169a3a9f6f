/** A `Set-Cookie` of the flag `CO=name:value:domain:lifetime:path:secure:httponly:samesite`; null when it has no name, value and domain. Lifetime is in minutes. */
export const rewriteCookie = (text: string, nowMs: number): string | null => {
  const separator = text.startsWith(';') ? ';' : ':'
  const parts = (separator === ';' ? text.slice(1) : text).split(separator)
  const [name, value, domain, minutes, path, secure, httpOnly, sameSite] = parts
  if (!name || value === undefined || !domain) return null
  if (/[^!#$%&'*+.^_`|~0-9A-Za-z-]/.test(name)) return null
  const on = (flag: string | undefined, word: string): boolean =>
    ['true', '1', word].includes((flag ?? '').toLowerCase())
  const lifetime = Number(minutes ?? 0)
  const fields = [`${name}=${value}`, `path=${path ? path : '/'}`, `domain=${domain}`]
  if (lifetime > 0) fields.push(`expires=${new Date(nowMs + lifetime * 60_000).toUTCString()}`)
  if (on(secure, 'secure')) fields.push('secure')
  if (on(httpOnly, 'httponly')) fields.push('HttpOnly')
  if (sameSite && sameSite !== 'false' && sameSite !== '0') fields.push(`SameSite=${sameSite}`)
  const line = fields.join('; ')
  return /[^\x20-\x7e]/.test(line) || fields.some((field) => field.includes(';')) ? null : line
}
