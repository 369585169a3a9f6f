/**
 * The readable part of a distinguished name: its organisation and common name,
 * e.g. `Let’s Encrypt · E7` of `C=US\nO=Let's Encrypt\nCN=E7`; else the text as it is.
 */
export const issuerName = (issuer: string): string => {
  const part = (key: string) =>
    issuer
      .split(/[\n,]/)
      .map((one) => one.trim())
      .find((one) => one.startsWith(`${key}=`))
      ?.slice(key.length + 1)
  const parts = [part('O'), part('CN')].filter((one) => one !== undefined && one !== '')
  return parts.length > 0 ? parts.join(' · ') : issuer
}
