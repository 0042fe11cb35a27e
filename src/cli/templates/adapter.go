// {{name}} as a testee of vmconf: requests on standard input, answers on standard output. As written, it is a toy
// EVM that pushes, adds and stores: call your machine in its place.
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"strings"
)

type object = map[string]any

type account struct {
	Balance string            `json:"balance"`
	Nonce   string            `json:"nonce"`
	Code    string            `json:"code"`
	Storage map[string]string `json:"storage"`
}

type program struct {
	Code, Gas, Address string
	Pre                map[string]account
}

type request struct {
	Type    string
	Id      uint64
	Machine string
	Program json.RawMessage
	Steps   []struct {
		Do      []any
		Observe []string
	}
}

var hello = object{
	"type": "hello", "version": 1, "name": "{{name}}", "release": "0.1.0", "language": "Go",
	// The fields of the state that run reports; `vmconf serve evm` answers hello with all that there are.
	"machines": []object{{"machine": "evm",
		"fields": []string{"outcome", "gas", "out", "logs", "logsHash", "callcreates", "post"}}},
}

// The program needs what this machine does not have.
type unsupported struct{ what string }

func (it unsupported) Error() string { return it.what }

// An exceptional halt of the machine: state, and no error.
var errHalt = errors.New("halt")

// Keccak-256 of the RLP of an empty list.
const noLogs = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"

var word = new(big.Int).Lsh(big.NewInt(1), 256)

// A number as vmconf writes it.
func number(text string) *big.Int {
	value, ok := new(big.Int).SetString(strings.TrimPrefix(text, "0x"), 16)
	if !ok {
		return new(big.Int)
	}
	return value
}

// The key of a word as vmconf writes it: the shortest even number of digits.
func key(value *big.Int) string {
	digits := value.Text(16)
	return "0x" + strings.Repeat("0", len(digits)%2) + digits
}

// Executes code, changes storage and returns the gas that is left.
func execute(code []byte, gas uint64, storage map[string]string) (uint64, error) {
	stack := []*big.Int{}
	for pc := 0; pc < len(code); {
		op, price := code[pc], uint64(3)
		pc++
		switch {
		case op == 0x00:
			return gas, nil
		case op >= 0x60 && op <= 0x7f: // PUSH1 to PUSH32
			data := make([]byte, op-0x5f)
			copy(data, code[min(pc, len(code)):])
			pc += len(data)
			stack = append(stack, new(big.Int).SetBytes(data))
		case op == 0x01 || op == 0x55: // ADD, SSTORE
			if len(stack) < 2 {
				return 0, errHalt
			}
			top, below := stack[len(stack)-1], stack[len(stack)-2]
			stack = stack[:len(stack)-2]
			if op == 0x01 {
				sum := new(big.Int).Add(top, below)
				stack = append(stack, sum.Mod(sum, word))
				break
			}
			price = 5000
			if below.Sign() != 0 && number(storage[key(top)]).Sign() == 0 {
				price = 20000
			}
			storage[key(top)] = "0x" + below.Text(16)
		default:
			return 0, unsupported{fmt.Sprintf("no instruction %#02x", op)}
		}
		if gas < price || len(stack) > 1024 {
			return 0, errHalt
		}
		gas -= price
	}
	return gas, nil
}

func min(one, other int) int {
	if one < other {
		return one
	}
	return other
}

// The accounts that are reported: without zero words and empty accounts.
func pruned(accounts map[string]account) map[string]account {
	for address, it := range accounts {
		for key, value := range it.Storage {
			if number(value).Sign() == 0 {
				delete(it.Storage, key)
			}
		}
		isZero := number(it.Balance).Sign() == 0 && number(it.Nonce).Sign() == 0
		if isZero && it.Code == "0x" && len(it.Storage) == 0 {
			delete(accounts, address)
		}
	}
	return accounts
}

// Runs a program on a fresh machine; the fields of the state by name. TODO: call your machine here.
func run(raw json.RawMessage, actions []any) (object, error) {
	var it program
	if err := json.Unmarshal(raw, &it); err != nil {
		return nil, err
	}
	code, err := hex.DecodeString(strings.TrimPrefix(it.Code, "0x"))
	if err != nil || it.Code == "" || it.Address == "" || it.Pre == nil {
		return nil, errors.New("the program has no code, address or accounts")
	}
	if len(actions) != 1 || actions[0] != "execute" {
		return nil, unsupported{"only execute"}
	}
	executing, isListed := it.Pre[it.Address]
	if !isListed {
		executing = account{"0x0", "0x0", "0x", map[string]string{}}
		it.Pre[it.Address] = executing
	}
	gas, err := execute(code, number(it.Gas).Uint64(), executing.Storage)
	if errors.Is(err, errHalt) {
		return object{"outcome": "halt"}, nil
	} else if err != nil {
		return nil, err
	}
	return object{
		"outcome": "success", "gas": fmt.Sprintf("%#x", gas), "out": "0x", "logs": []object{},
		"logsHash": noLogs, "callcreates": []object{}, "post": pruned(it.Pre),
	}, nil
}

func answer(asked request) object {
	if asked.Type == "hello" {
		return hello
	}
	if asked.Type != "run" || asked.Machine != "evm" || len(asked.Steps) > 1 {
		return object{"type": "skip", "id": asked.Id, "reason": "only run is possible, of evm and in one step"}
	}
	states := []object{}
	for _, step := range asked.Steps {
		state, err := run(asked.Program, step.Do)
		if errors.As(err, &unsupported{}) {
			return object{"type": "skip", "id": asked.Id, "reason": err.Error()}
		} else if err != nil {
			return object{"type": "error", "id": asked.Id, "message": err.Error()}
		}
		fields := object{}
		for _, name := range step.Observe {
			if value, ok := state[name]; ok {
				fields[name] = value
			}
		}
		states = append(states, object{"fields": fields})
	}
	return object{"type": "done", "id": asked.Id, "steps": states}
}

func main() {
	in, out := bufio.NewReader(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked request
		if err := json.Unmarshal(line, &asked); err != nil {
			panic(err)
		}
		if err := out.Encode(answer(asked)); err != nil {
			panic(err)
		}
	}
}
