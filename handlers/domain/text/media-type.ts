/** Whether a text is a media type, with its parameters (RFC 9110, 8.3.1). */
export const isMediaType = (text: string): boolean =>
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[\x20-\x7e]*)?$/.test(text)
