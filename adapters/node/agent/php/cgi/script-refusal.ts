import { statSync } from 'node:fs'

/** False also where the account cannot look. */
const isFile = (path: string): boolean => {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** What FPM answers to a script that it must not, or cannot, run; null for one that can. */
export const scriptRefusal = (script: string | undefined): string | null => {
  if (script === undefined || !script.endsWith('.php'))
    return 'Status: 403 Forbidden\r\nContent-Type: text/html\r\n\r\nAccess denied.\n'
  // Else php-cgi would walk up the path and run what it finds there.
  if (isFile(script)) return null
  return 'Status: 404 Not Found\r\nContent-Type: text/html\r\n\r\nFile not found.\n'
}
