/** Hands what is at an address of the API to the browser as a file. */
export const download = (path: string, name: string): void => {
  const link = document.createElement('a')
  link.href = path
  link.download = name
  link.click()
}
