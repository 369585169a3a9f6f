type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name
type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${Snake<Rest>}`
    : `_${Lowercase<First>}${Snake<Rest>}`
  : Name

const renamed = (fields: object, nameOf: (name: string) => string): object =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [nameOf(name), value]))

/** Fields as the API spells them (`disk_quota_mb`), as services do (`diskQuotaMb`). */
export const camelCased = <T extends object>(fields: T) =>
  renamed(fields, (name) =>
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  ) as { [Name in keyof T as Camel<Name & string>]: T[Name] }

/** The other way around. */
export const snakeCased = <T extends object>(fields: T) =>
  renamed(fields, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)) as {
    [Name in keyof T as Snake<Name & string>]: T[Name]
  }
