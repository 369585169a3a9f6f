/** Whether a text looks like an e-mail address. The API checks again and knows more. */
export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(text)
