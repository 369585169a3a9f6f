export declare const newCapability: (root: string, name: string) => string[]
