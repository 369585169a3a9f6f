import { readTrust } from './trust-file.ts'

/**
 * Names of the panels on other machines that this one obeys; none where it joined none. A list that
 * cannot be read counts as one: what it may name is not to be taken for nobody's.
 */
export const obeyedPanels = (directory: string): string[] => {
  try {
    return readTrust(directory)?.list.panels.map(({ id }) => id) ?? []
  } catch {
    return ['unknown']
  }
}
