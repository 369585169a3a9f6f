const SIGNS = [
  // Hestia's BACKEND, e.g. PHP-8_2.
  /^PHP-(\d)_(\d{1,2})$/,
  // cPanel's packages, e.g. ea-php82.
  /^(?:ea|alt)-php(\d)(\d{1,2})$/,
  // DirectAdmin, and plain versions.
  /^(\d)\.(\d{1,2})$/,
]

/** `8.2` of another panel's name for a PHP version; null for a name that says none. */
export const readPhpVersion = (name: string): string | null => {
  for (const sign of SIGNS) {
    const found = sign.exec(name.trim())
    if (found) return `${found[1]}.${found[2]}`
  }
  return null
}
