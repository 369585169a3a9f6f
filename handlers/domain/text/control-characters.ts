/** Whether `text` holds a control character (Unicode category Cc): never wanted in names, paths and passwords. */
export const hasControlCharacters = (text: string): boolean => /\p{Cc}/u.test(text)
