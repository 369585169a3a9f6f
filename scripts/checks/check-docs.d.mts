export declare const checkDocs: (root: string) => string[]
