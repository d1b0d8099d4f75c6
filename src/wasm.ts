/** As much of WebAssembly as is needed; the compiler's own types for it come with a browser's library only. */
export interface WasmInstance {
  readonly exports: object;
}

export interface WasmMemory {
  /** Another one after the memory has grown. */
  readonly buffer: ArrayBuffer;
}

interface WasmNamespace {
  instantiate(...given: unknown[]): Promise<{ instance: WasmInstance }>;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => WasmInstance;
  readonly Memory: new (size: { readonly initial: number }) => WasmMemory;
}

/** The global `WebAssembly`. */
export function wasmGlobal(): WasmNamespace {
  return (globalThis as unknown as { WebAssembly: WasmNamespace }).WebAssembly;
}
