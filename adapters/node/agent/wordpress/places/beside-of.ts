/** Where files of an operation are before visitors see them, relative to the home; no document root has it. */
export const besideOf = (operationId: string): string =>
  `.berth-wordpress-${operationId.replaceAll(/[^A-Za-z0-9-]/g, '')}`
