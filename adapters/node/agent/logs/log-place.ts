import { conflict } from '#handlers/errors.ts'

/** A byte of a file that keeps its inode when it is renamed. */
export interface FilePlace {
  inode: string
  offset: number
}

/** The place of a log that does not exist. */
export const NOWHERE = '0-0'

export const placeText = ({ inode, offset }: FilePlace): string => `${inode}-${offset}`

/** Of a text that the method table has checked. */
export const parsePlace = (text: string): FilePlace => {
  const [inode = '0', offset = '0'] = text.split('-')
  return { inode, offset: Number(offset) }
}

export const goneAway = (): Error =>
  conflict('The log was rotated away or emptied meanwhile. Read it anew from its end.')
