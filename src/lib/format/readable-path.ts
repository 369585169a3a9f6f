import { visibleName } from './visible-name.ts'

/** The path of an address as people write it: `/caf%C3%A9` is `/café`, and what is unseen stays so written. */
export const readablePath = (path: string): string => {
  try {
    return visibleName(decodeURI(path))
  } catch {
    return visibleName(path)
  }
}
