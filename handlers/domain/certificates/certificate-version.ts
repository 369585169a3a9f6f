/** As operations are named, which give a version its name; it names a folder, never that itself or the one above. */
const VERSION = /^(?!\.\.?$)[A-Za-z0-9._:-]{1,100}$/

/** Whether a text is the version of a certificate. A machine may say what it likes, and its files are removed by it. */
export const isCertificateVersion = (text: string): boolean => VERSION.test(text)
