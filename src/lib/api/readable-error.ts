/**
 * A refusal of the API as people read it. The API begins such a message with the
 * name of the field in its own spelling, which no form shows: `domain_name
 * a.example exists already.` becomes `Domain name a.example exists already.`
 */
export const readableError = (error: string, field: string | null): string => {
  const [name = ''] = field?.split('.') ?? []
  const rest = error.slice(name.length)
  if (name === '' || !error.startsWith(name) || !/^[ :]/.test(rest)) return error
  const words = name.replace(/^db_/, 'database_').replaceAll('_', ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${rest}`
}
