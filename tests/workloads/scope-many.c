// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contains the functions many0 to many2999, for tests with many scopes (--scope). Calls many0 three
 * times and many2999 five times.
 */
asm(".text\n"
    ".altmacro\n"
    ".macro function nr\n"
    ".globl many\\nr\n"
    ".type many\\nr, %function\n"
    "many\\nr: nop\n"
    "ret\n"
    ".size many\\nr, . - many\\nr\n"
    ".endm\n"
    ".set i, 0\n"
    ".rept 3000\n"
    "function %i\n"
    ".set i, i + 1\n"
    ".endr\n"
    ".noaltmacro\n");

void many0(void);
void many2999(void);

int main(void)
{
	for (int i = 0; i < 3; i++)
		many0();
	for (int i = 0; i < 5; i++)
		many2999();
	return 0;
}
