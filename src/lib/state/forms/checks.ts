import { texts } from '$lib/texts'

/** Something must be typed. */
export const required = (text: string): string | null =>
  text.trim() === '' ? texts.errors.required : null

/** A secret must be typed; blanks are part of it. */
export const secret = (text: string): string | null => (text === '' ? texts.errors.required : null)

/** A password that is being set. */
export const newPassword = (text: string): string | null =>
  text.length < 8 ? texts.password.tooShort : null
