#include <windows.h>
#include <ntsecapi.h>

// Debian 12 has wine 8, which lacks this library of Windows. The standard library of Rust gets its random numbers from it.
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) { return RtlGenRandom(data, length); }
