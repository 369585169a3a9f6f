export function otherVersions(before: string, after: string): string[]
